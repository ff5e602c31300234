{#-
    Aggregate: Pearson's correlation of two columns, over rows where both are present; NULL where one does not vary, where
    engines disagree (NaN, NULL, an error).
-#}
{% macro correlation(x, y) -%}
case when min({{ x }}) < max({{ x }}) and min({{ y }}) < max({{ y }}) then corr({{ x }}, {{ y }}) end
{%- endmacro %}


{% macro hyperbolic_tangent(x) -%}
(1 - 2 / (exp(2 * ({{ x }})) + 1))
{%- endmacro %}


{#- The polynomial c0 x^n + c1 x^(n-1) + … + cn, by Horner's rule. -#}
{% macro polynomial(x, coefficients) -%}
{%- set nested = namespace(sql=coefficients[0] | string) -%}
{%- for coefficient in coefficients[1:] -%}
{%- set nested.sql = '(' ~ nested.sql ~ ') * ' ~ x ~ ' + ' ~ coefficient -%}
{%- endfor -%}
({{ nested.sql }})
{%- endmacro %}


{#-
    The probability that a standard normal variable lies farther from 0 than z: the two-sided p-value, erfc(|z| / sqrt 2).
    Rational Chebyshev approximations of Cody (1969, Mathematics of Computation 23, 631-637), three intervals; the relative
    error is below 1e-12 wherever the value is not denormal, so p-values far in the tail keep their digits.
    z must be the name of a column: it is repeated.
-#}
{% macro two_sided_p_value(z) -%}
{%- set y = '(abs(' ~ z ~ ') / sqrt(2.0e0))' -%}
{%- set y2 = '(' ~ z ~ ' * ' ~ z ~ ' / 2.0e0)' -%}
case
            when abs({{ z }}) <= 0.46875 * sqrt(2.0e0)
                then
                    1 - {{ y }} * {{ polynomial(y2, [
                        '1.85777706184603153e-1', '3.16112374387056560e0', '1.13864154151050156e2',
                        '3.77485237685302021e2', '3.20937758913846947e3',
                    ]) }} / {{ polynomial(y2, [
                        '1.0e0', '2.36012909523441209e1', '2.44024637934444173e2', '1.28261652607737228e3',
                        '2.84423683343917062e3',
                    ]) }}
            when abs({{ z }}) <= 4 * sqrt(2.0e0)
                then
                    exp(-{{ y2 }}) * {{ polynomial(y, [
                        '2.15311535474403846e-8', '5.64188496988670089e-1', '8.88314979438837594e0',
                        '6.61191906371416295e1', '2.98635138197400131e2', '8.81952221241769090e2',
                        '1.71204761263407058e3', '2.05107837782607147e3', '1.23033935479799725e3',
                    ]) }} / {{ polynomial(y, [
                        '1.0e0', '1.57449261107098347e1', '1.17693950891312499e2', '5.37181101862009858e2',
                        '1.62138957456669019e3', '3.29079923573345963e3', '4.36261909014324716e3',
                        '3.43936767414372164e3', '1.23033935480374942e3',
                    ]) }}
            else
                exp(-{{ y2 }}) / {{ y }} * (
                    0.56418958354775629e0
                    - {{ polynomial('(1 / ' ~ y2 ~ ')', [
                        '1.63153871373020978e-2', '3.05326634961232344e-1', '3.60344899949804439e-1',
                        '1.25781726111229246e-1', '1.60837851487422766e-2', '6.58749161529837803e-4',
                    ]) }} / {{ polynomial('(1 / ' ~ y2 ~ ')', [
                        '1.0e0', '2.56852019228982242e0', '1.87295284992346725e0', '5.27905102951428412e-1',
                        '6.05183413124413191e-2', '2.33520497626869185e-3',
                    ]) }} / {{ y2 }}
                )
        end
{%- endmacro %}


{#-
    The smallest true difference between two systems that a two-sided test at 5 % finds with probability 80 %
    (Miller 2024, arXiv 2411.00640, equation 10). variance is that of one question's difference: omega^2 + sigma_A^2 / K_A +
    sigma_B^2 / K_B where K rollouts are averaged.
-#}
{% macro minimum_detectable_difference(variance, n_questions) -%}
(({{ var('z_95') }} + {{ var('z_power_80') }}) * sqrt(({{ variance }}) / ({{ n_questions }})))
{%- endmacro %}


{#- How many questions find that true difference under the same terms (Miller 2024, equation 9). Not rounded. -#}
{% macro questions_needed(variance, difference) -%}
(power({{ var('z_95') }} + {{ var('z_power_80') }}, 2) * ({{ variance }}) / power({{ difference }}, 2))
{%- endmacro %}
