-- a01: answered
SELECT COUNT(*) FROM adult;

-- a02: answered
SELECT income, COUNT(*) AS people, COUNT(*) * 1.0 / (SELECT COUNT(*) FROM adult) AS share FROM adult GROUP BY income;

-- a03: answered
SELECT education, AVG(hours_per_week) AS hours FROM adult GROUP BY education ORDER BY hours DESC;

-- a04: answered
SELECT sex, race, COUNT(*) FROM adult GROUP BY sex, race ORDER BY sex, race;

-- a05: answered
SELECT sex, AVG(CASE WHEN income = '>50K' THEN 1.0 ELSE 0.0 END) AS rich FROM adult GROUP BY sex;

-- a06: answered
SELECT MEDIAN(age), AVG(age), MIN(age), MAX(age) FROM adult;

-- a07: answered
SELECT workclass, COUNT(*) FROM adult WHERE workclass <> '?' GROUP BY workclass HAVING COUNT(*) >= 100;

-- a08: answered
SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) AS n, AVG(hours_per_week) AS hours FROM adult GROUP BY decade ORDER BY decade;

-- a09: answered
SELECT CASE WHEN age < 25 THEN 'under 25' WHEN age BETWEEN 25 AND 44 THEN '25-44' WHEN age BETWEEN 45 AND 64 THEN '45-64' ELSE '65+' END AS age_band,
       income, COUNT(*) FROM adult GROUP BY age_band, income;

-- a10: answered
SELECT occupation, STDDEV(hours_per_week) FROM adult GROUP BY occupation;

-- a11: answered
SELECT CORR(age, hours_per_week) FROM adult;

-- a12: answered
SELECT COVAR_POP(education_num, hours_per_week), COVAR_SAMP(education_num, hours_per_week) FROM adult WHERE sex = 'Female';

-- a13: answered
SELECT REGR_SLOPE(hours_per_week, age), REGR_INTERCEPT(hours_per_week, age) FROM adult WHERE age BETWEEN 20 AND 60;

-- a14: answered
SELECT native_country, COUNT(*) AS n FROM adult WHERE native_country NOT LIKE 'United%' GROUP BY native_country ORDER BY n DESC LIMIT 10;

-- a15: answered
SELECT COUNT(*) FROM adult WHERE capital_gain > 0 AND capital_loss = 0;

-- a16: answered
SELECT SUM(capital_gain) - SUM(capital_loss) AS net FROM adult;

-- a17: answered
SELECT education, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age) AS median_age FROM adult GROUP BY education;

-- a18: answered
SELECT quantile_cont(hours_per_week, 0.9) FROM adult WHERE income = '>50K';

-- a19: answered
SELECT age, COUNT(*) FROM adult GROUP BY age ORDER BY age;

-- a20: answered
SELECT WIDTH_BUCKET(hours_per_week, 0, 100, 10) AS b, COUNT(*) FROM adult GROUP BY b ORDER BY b;

-- a21: open: an aggregate that is not built
SELECT MODE(occupation) FROM adult WHERE education = 'Bachelors';

-- a22: private: one person with that gain makes it true, and without her it is false
SELECT BOOL_OR(capital_gain > 99998) FROM adult;

-- a23: answered
SELECT COUNT(DISTINCT native_country) FROM adult;

-- a24: open: `tacit tables` answers it: several tables are one release of another kind
SELECT marital_status, relationship, COUNT(*) FROM adult GROUP BY CUBE (marital_status, relationship);

-- a25: private: the rows of single people: without one of them her row is missing
SELECT * FROM adult WHERE age > 85;

-- a26: answered
SELECT AVG(age) FROM adult WHERE income = '>50K' UNION SELECT AVG(age) FROM adult WHERE income = '<=50K';

-- a27: answered
WITH m AS (SELECT AVG(hours_per_week) AS h FROM adult WHERE sex = 'Male'), f AS (SELECT AVG(hours_per_week) AS h FROM adult WHERE sex = 'Female')
SELECT m.h - f.h AS gap FROM m, f;

-- a28: answered
SELECT education, people, RANK() OVER (ORDER BY people DESC) AS place
FROM (SELECT education, COUNT(*) AS people FROM adult GROUP BY education) e;

-- a29: answered
SELECT education, income, COUNT(*) AS n, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY education), 1) AS pct
FROM adult GROUP BY education, income;

-- a30: open: several private answers in one statement
SELECT COUNT(*) FROM adult WHERE hours_per_week > (SELECT AVG(hours_per_week) FROM adult);

-- a31: private: the age of the oldest: without her it is that of the next
SELECT age FROM adult ORDER BY age DESC LIMIT 1;

-- a32: answered
SELECT LOWER(TRIM(occupation)) AS job, COUNT(*) FROM adult GROUP BY job;

-- a33: answered
SELECT REPLACE(marital_status, '-', ' ') AS status, COUNT(*) FROM adult GROUP BY status;

-- a34: answered
SELECT SPLIT_PART(workclass, '-', 1) AS sector, COUNT(*) AS n FROM adult GROUP BY sector;

-- a35: answered
SELECT COUNT(*) FROM adult WHERE REGEXP_MATCHES(education, '^(Bachelors|Masters|Doctorate)$');

-- a36: answered
SELECT COUNT(*) FROM adult WHERE education SIMILAR TO '(1st|5th|7th)%';

-- a37: answered
SELECT SUM(fnlwgt) AS population FROM adult;

-- a38: answered
SELECT SUM(fnlwgt * hours_per_week) / SUM(fnlwgt) AS weighted_hours FROM adult;

-- a39: answered
SELECT sex, SUM(CASE WHEN income = '>50K' THEN fnlwgt END) * 1.0 / SUM(fnlwgt) AS weighted_share FROM adult GROUP BY sex;

-- a40: open: groups of floating-point numbers, which engines compute with other last digits
SELECT LN(capital_gain + 1) AS lg, COUNT(*) FROM adult WHERE capital_gain > 0 GROUP BY 1;

-- a41: answered
SELECT ROUND(LOG10(capital_gain)) AS magnitude, COUNT(*) FROM adult WHERE capital_gain > 0 GROUP BY magnitude ORDER BY magnitude;

-- a42: answered
SELECT VAR_POP(age), VAR_SAMP(age), STDDEV_POP(age) FROM adult;

-- a43: answered
SELECT AVG(age) FILTER (WHERE sex = 'Male') AS men, AVG(age) FILTER (WHERE sex = 'Female') AS women FROM adult;

-- a44: answered
SELECT occupation AS occupation, income AS income, COUNT(*) AS count
FROM main.adult
WHERE occupation IN ('Sales', 'Tech-support', 'Craft-repair', 'Exec-managerial')
GROUP BY occupation, income ORDER BY count DESC LIMIT 10000;

-- a45: answered
SELECT sex AS sex, SUM(CASE WHEN race = 'White' THEN 1 ELSE 0 END) AS white, SUM(CASE WHEN race = 'Black' THEN 1 ELSE 0 END) AS black
FROM (SELECT * FROM adult WHERE age >= 18) AS virtual_table
GROUP BY sex LIMIT 50000;

-- a46: answered
SELECT "public"."adult"."education" AS "education", AVG("public"."adult"."age") AS "avg"
FROM "public"."adult"
WHERE ("public"."adult"."income" = '>50K')
GROUP BY "public"."adult"."education"
ORDER BY "avg" DESC, "public"."adult"."education" ASC;

-- a47: answered
SELECT FLOOR(("public"."adult"."age" / 12.5)) * 12.5 AS "age", COUNT(*) AS "count"
FROM "public"."adult"
GROUP BY FLOOR(("public"."adult"."age" / 12.5)) * 12.5
ORDER BY FLOOR(("public"."adult"."age" / 12.5)) * 12.5 ASC;

-- a48: answered
SELECT "adult"."race" AS "race", COUNT(DISTINCT "adult"."occupation") AS "ctd:occupation:ok", AVG(CAST("adult"."age" AS FLOAT)) AS "avg:age:ok"
FROM "adult" GROUP BY "adult"."race";

-- a49: answered
SELECT CASE WHEN ("adult"."sex" IN ('Female')) THEN 'Women' WHEN NOT ("adult"."sex" IN ('Female')) THEN 'Men' ELSE NULL END AS "Sex (group)",
       SUM(CAST("adult"."hours_per_week" AS BIGINT)) AS "sum:hours:ok"
FROM "adult" WHERE (("adult"."age" >= 17) AND ("adult"."age" <= 65)) GROUP BY 1;

-- a50: answered
SELECT "t0"."income", SUM(CASE WHEN "t0"."sex" = 'Male' THEN 1 ELSE 0 END) AS "men", COUNT(*) AS "n", AVG("t0"."age") AS "age"
FROM (SELECT * FROM "adult" WHERE "workclass" = 'Private') AS "t0" GROUP BY 1;

-- a51: answered
SELECT "t0"."education", APPROX_QUANTILE("t0"."hours_per_week", 0.5) AS "m" FROM "adult" AS "t0" GROUP BY "t0"."education";

-- a52: answered
SELECT COUNT_IF(age >= 65) AS seniors, COUNT_IF(age < 30) AS young FROM adult;

-- a53: open: `tacit tables` answers it: several tables are one release of another kind
SELECT sex, race, AVG(hours_per_week) FROM adult GROUP BY GROUPING SETS ((sex), (race), ());

-- a54: open: an aggregate that is not built, or a list of groups alone
SELECT HISTOGRAM(education_num) FROM adult;

-- a55: open: an aggregate that is not built, or a list of groups alone
SELECT DISTINCT education, education_num FROM adult ORDER BY education_num;

-- a56: answered
SELECT CASE WHEN native_country = 'United-States' THEN 'US' ELSE 'other' END AS origin, income, COUNT(*) AS n, AVG(education_num) AS edu
FROM adult GROUP BY ALL ORDER BY ALL;

-- a57: open: an aggregate that is not built
SELECT KURTOSIS(age), SKEWNESS(age) FROM adult;

-- a58: answered
SELECT SUM(n) FILTER (WHERE big) FROM (SELECT occupation, COUNT(*) AS n, COUNT(*) > 3000 AS big FROM adult GROUP BY occupation);

-- a59: open: another statement or clause than SELECT with LIMIT
PIVOT adult ON sex USING COUNT(*) GROUP BY income;

-- a60: answered
SELECT education, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY COUNT(*) DESC) AS running FROM adult GROUP BY education ORDER BY n DESC;
