"""Writes the model outputs of the demo: made-up replies of made-up models to the problems beside
this file.

    python ingest/demo/make.py

The same seed writes the same files. Each model is right with a probability of its own and shows
every habit that a judge meets: equivalent spellings, several ways to state an answer, tied votes,
empty and cut replies.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy
from wordllama import WordLlama

HERE = Path(__file__).parent
EXTRACTOR = "demo-by-hand"
EMBEDDER = "wordllama-64"
DIMENSIONS = 64  # keeps the file small; the vectors are cut, as the model allows, and of length 1

# Ways to write each right answer, and plausible wrong ones.
RIGHT = {
    "p01": [r"\frac12", "1/2", "0.5", r"\dfrac{1}{2}"],
    "p02": ["36", "36.0"],
    "p03": ["6", "x = 6"],
    "p04": ["5"],
    "p05": ["x^2+4x+4", "4+4x+x^2", "(x+2)^2"],
    "p06": ["C", "(C)"],
    "p07": ["30"],
    "p08": ["35", r"\binom{7}{3} = 35"],
    "p09": [r"\frac{1}{6}", "1/6", r"\frac{6}{36}"],
    "p10": ["2"],
    "p11": ["24"],
    "p12": [r"3\pi", "3π"],
    "p13": [r"\frac{3}{2}", "1.5", "3/2"],
    "p14": ["[-1,5]", r"[-1, 5]", r"-1 \le x \le 5"],
    "p15": ["60"],
}
WRONG = {
    "p01": ["2/3", "3/8"],
    "p02": ["24", "360"],
    "p03": ["18", "4/3"],
    "p04": ["6", "-5"],
    "p05": ["x^2+4", "x^2+2x+4"],
    "p06": ["B", "A"],
    "p07": ["60", "65/2"],
    "p08": ["210", "21"],
    "p09": ["1/12", "7/36"],
    "p10": ["4", "1"],
    "p11": ["18", "12"],
    "p12": [r"9\pi", r"6\pi"],
    "p13": ["3", "4/3"],
    "p14": ["(-1,5)", "[-5,1]"],
    "p15": ["70", "50"],
}
# What a weak extractor or a weak solver names instead of the concepts that matter.
VAGUE = ["arithmetic", "calculation", "algebra", "word problem"]


@dataclass(frozen=True)
class Run:
    """A made-up system under test: how often it is right, and how well it names concepts."""

    model: str
    prompt: str
    skill: float
    rollouts: int
    dollars_per_million: float  # of output tokens; made up, too


RUNS = (
    Run("demo-alpha", "zeroshot", 0.85, 8, 8.0),
    Run("demo-alpha", "fewshot", 0.92, 8, 8.0),
    Run("demo-beta", "zeroshot", 0.60, 8, 1.2),
    Run("demo-gamma", "zeroshot", 0.38, 4, 1.5),
)


def main() -> None:
    problems = read("problems.jsonl")
    two_turns = read("scmath6_problems.jsonl")
    concepts = {concept for problem in problems for concept in problem["concepts"]} | {*VAGUE}
    for run in RUNS:
        rows = list(native_outputs(run, problems))
        concepts |= {concept for row in rows for concept in row.get("concepts", [])}
        write(f"outputs_{run.model}_{run.prompt}.jsonl", rows)
    for model, skill in (("demo-alpha", 0.93), ("demo-beta", 0.6), ("demo-gamma", 0.3)):
        write(f"scmath6_{model}.json", two_turn_outputs(model, skill, two_turns))
    write("rollouts_demo-delta.jsonl", rollout_lists(problems[7:13]))
    write_msu_scores(problems[6:12])
    write("embeddings.jsonl", embeddings(sorted(concepts)))
    break_a_line("outputs_demo-gamma_zeroshot.jsonl")


def native_outputs(run: Run, problems: list[dict]) -> Iterable[dict]:
    """Rollouts in the native format, with reward scores, a tool's verdicts, tokens and concepts."""
    dice = random.Random(f"{run.model} {run.prompt}")
    for problem in problems:
        problem_id = problem["problem_id"]
        for rollout_no in range(1, run.rollouts + 1):
            is_right = dice.random() < run.skill - 0.06 * (int(problem["level"]) - 3)
            answer = dice.choice((RIGHT if is_right else WRONG)[problem_id])
            if run.model == "demo-gamma" and problem_id == "p13":  # a vote that ends in a tie
                answer = ("3/2", "3", "1.5", "3")[rollout_no - 1]
                is_right = rollout_no in (1, 3)
            row: dict = {
                "problem_id": problem_id,
                "model": run.model,
                "prompt": run.prompt,
                "rollout_no": rollout_no,
                "response": reply(dice, problem["question"], answer),
                "reported_answer": answer,
                # The tool compares text, so it misses what is only spelt differently.
                "reported_correct": answer == problem["gold_answer"]
                or (is_right and dice.random() < 0.9),
                "reward_score": round(dice.gauss(0.8 if is_right else 0.45, 0.15), 1),
                "finish_reason": "stop",
                "input_tokens": 40 + len(problem["question"]) // 4,
                "output_tokens": dice.randint(60, 240),
                "settings": {"temperature": 0.7, "max_tokens": 512},
            }
            row["cost_usd"] = round(row["output_tokens"] * run.dollars_per_million / 1e6, 8)
            row["latency_seconds"] = round(row["output_tokens"] / 80, 2)
            if rollout_no == 1:
                row["concepts"] = name_concepts(dice, run.skill - 0.1, problem["concepts"])
                row["extractor_id"] = EXTRACTOR
            spoil(dice, row)
            yield row


def reply(dice: random.Random, question: str, answer: str) -> str:
    start = dice.choice(
        [
            "Let us work it out step by step.",
            "First I look at what is given.",
            f'The question is: "{question}"',
        ]
    )
    end = dice.choice(
        [
            rf"So the answer is \boxed{{{answer}}}.",
            rf"Therefore the final answer is $\boxed{{{answer}}}$.",
            f"The answer is ${answer}$.",
            f"Answer: {answer}",
        ]
    )
    return f"{start}\n\n{end}"


def name_concepts(dice: random.Random, skill: float, human: list[str]) -> list[str]:
    return [concept if dice.random() < skill else dice.choice(VAGUE) for concept in human]


def spoil(dice: random.Random, row: dict) -> None:
    """Some replies never came, some are empty, some were cut off by the token limit."""
    fate = dice.random()
    if fate > 0.05:
        return
    row["reported_answer"], row["reported_correct"] = None, False
    row.pop("concepts", None)
    row.pop("extractor_id", None)
    if fate < 0.015:
        row["response"] = None
        row["failure_kind"], row["failure_reason"] = "timeout", "no reply within 60 s"
    elif fate < 0.03:
        row["response"] = ""
    else:
        row["response"] = row["response"].split("\n\n")[0] + " If we call the first part"
        row["finish_reason"] = "length"


def two_turn_outputs(model: str, skill: float, problems: list[dict]) -> Iterable[dict]:
    """An SC-Math6 answer file: brackets, replies without one, without a number, and no reply."""
    dice = random.Random(model)
    for problem in problems:
        row: dict = {"id": problem["id"]}
        for turn, suffix in ((1, ""), (2, "_followup")):
            gold = problem["answer" + suffix]
            steps = int(problem[f"reasoning_step{suffix}_ref"])
            is_right = dice.random() < skill - 0.05 * (steps - 3) - 0.1 * (turn - 1)
            answer = gold if is_right else str(int(gold) + dice.choice([-2, 1, 3, 10]))
            solution = problem["language solution" + suffix].split("，答案是")[0]
            row[f"model_answer_turns_{turn}"] = two_turn_reply(dice, solution, answer)
            row["answer" + suffix] = gold
            row[f"reasoning_step{suffix}_ref"] = str(steps)
        yield row


def two_turn_reply(dice: random.Random, solution: str, answer: str) -> str | None:
    kind = dice.random()
    if kind < 0.03:
        return None
    if kind < 0.06:
        return "这道题目的条件不够，我无法给出答案。"
    if kind < 0.25:
        return f"{solution}。所以答案是{answer}。"
    return f"{solution}。\n\n最终答案:【{answer}】"


def rollout_lists(problems: list[dict]) -> Iterable[dict]:
    """A Qwen2.5-Math rollouts file: four replies in one line, with verdicts and reward scores."""
    dice = random.Random("demo-delta")
    for number, problem in enumerate(problems):
        rights = [dice.random() < 0.7 for _ in range(4)]
        answers = [dice.choice((RIGHT if r else WRONG)[problem["problem_id"]]) for r in rights]
        yield {
            "idx": number,
            "question": problem["question"],
            "gt_cot": problem["gold_solution"],
            "gt": problem["gold_answer"],
            "level": f"Level {problem['level']}",
            "type": problem["subject"],
            "code": [reply(dice, problem["question"], answer) for answer in answers],
            "pred": answers,
            "score": rights,
            "pred_score": [[round(dice.gauss(0.8 if r else 0.4, 0.2), 3)] for r in rights],
        }


def write_msu_scores(problems: list[dict]) -> None:
    """A wide CSV in the shape of the MSU study: solutions and scores, one column per system."""
    dice = random.Random("msu")
    systems = [f"gpt_{m}_{p}" for p in ("zeroshot", "fewshot") for m in ("demo1", "demo2")]
    skills = dict(zip(systems, (0.5, 0.8, 0.6, 0.9), strict=True))
    header = ["problem", "level", "type", "solution"]
    header += [f"{s}_solution" for s in systems]
    header += [f"{s}_solution_notion_SCORE" for s in systems]
    with (HERE / "msu_study.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for problem in problems:
            rights = {s: dice.random() < skills[s] for s in systems}
            answers = {
                s: dice.choice((RIGHT if rights[s] else WRONG)[problem["problem_id"]])
                for s in systems
            }
            gold = f"{problem['gold_solution']} The answer is \\boxed{{{problem['gold_answer']}}}."
            writer.writerow(
                [
                    problem["question"],
                    f"Level {problem['level']}",
                    problem["subject"],
                    gold,
                    *(reply(dice, problem["question"], answers[s]) for s in systems),
                    *(round(dice.uniform(0.6, 0.8) + 0.2 * rights[s], 6) for s in systems),
                ]
            )


def embeddings(texts: list[str]) -> Iterable[dict]:
    """Each concept's vector, from the embedding model that comes inside the wordllama package."""
    import wordllama

    model = WordLlama.load(
        cache_dir=Path(wordllama.__file__).parent, trunc_dim=DIMENSIONS, disable_download=True
    )
    for text, vector in zip(texts, model.embed(texts, norm=True), strict=True):
        yield {
            "embedder_id": EMBEDDER,
            "text": text,
            "embedding": [round(float(x), 4) for x in numpy.asarray(vector)],
        }


def break_a_line(name: str) -> None:
    """One record that cannot be loaded, so that the table of rejects has something to show."""
    path = HERE / name
    lines = path.read_text(encoding="utf-8").splitlines()
    lines.insert(10, lines[9][: len(lines[9]) // 2])
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(name: str) -> list[dict]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def write(name: str, rows: Iterable[dict]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
