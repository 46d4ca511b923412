-- t01: answered
select
    l_returnflag, l_linestatus, sum(l_quantity) as sum_qty, sum(l_extendedprice) as sum_base_price,
    sum(l_extendedprice * (1 - l_discount)) as sum_disc_price,
    sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge,
    avg(l_quantity) as avg_qty, avg(l_extendedprice) as avg_price, avg(l_discount) as avg_disc, count(*) as count_order
from lineitem
where l_shipdate <= date '1998-12-01' - interval '90' day
group by l_returnflag, l_linestatus
order by l_returnflag, l_linestatus;

-- t02: private: each group is an order, of one customer: without her it is missing
select l_orderkey, sum(l_extendedprice * (1 - l_discount)) as revenue, o_orderdate, o_shippriority
from customer, orders, lineitem
where c_mktsegment = 'BUILDING' and c_custkey = o_custkey and l_orderkey = o_orderkey
  and o_orderdate < date '1995-03-15' and l_shipdate > date '1995-03-15'
group by l_orderkey, o_orderdate, o_shippriority
order by revenue desc, o_orderdate limit 10;

-- t03: answered
select o_orderpriority, count(*) as order_count
from orders
where o_orderdate >= date '1993-07-01' and o_orderdate < date '1993-07-01' + interval '3' month
  and exists (select * from lineitem where l_orderkey = o_orderkey and l_commitdate < l_receiptdate)
group by o_orderpriority order by o_orderpriority;

-- t04: answered
select n_name, sum(l_extendedprice * (1 - l_discount)) as revenue
from customer, orders, lineitem, supplier, nation, region
where c_custkey = o_custkey and l_orderkey = o_orderkey and l_suppkey = s_suppkey and c_nationkey = s_nationkey
  and s_nationkey = n_nationkey and n_regionkey = r_regionkey and r_name = 'ASIA'
  and o_orderdate >= date '1994-01-01' and o_orderdate < date '1994-01-01' + interval '1' year
group by n_name order by revenue desc;

-- t05: answered
select sum(l_extendedprice * l_discount) as revenue
from lineitem
where l_shipdate >= date '1994-01-01' and l_shipdate < date '1994-01-01' + interval '1' year
  and l_discount between 0.06 - 0.01 and 0.06 + 0.01 and l_quantity < 24;

-- t06: answered
select supp_nation, cust_nation, l_year, sum(volume) as revenue
from (
  select n1.n_name as supp_nation, n2.n_name as cust_nation, extract(year from l_shipdate) as l_year,
         l_extendedprice * (1 - l_discount) as volume
  from supplier, lineitem, orders, customer, nation n1, nation n2
  where s_suppkey = l_suppkey and o_orderkey = l_orderkey and c_custkey = o_custkey
    and s_nationkey = n1.n_nationkey and c_nationkey = n2.n_nationkey
    and ((n1.n_name = 'FRANCE' and n2.n_name = 'GERMANY') or (n1.n_name = 'GERMANY' and n2.n_name = 'FRANCE'))
    and l_shipdate between date '1995-01-01' and date '1996-12-31'
) as shipping
group by supp_nation, cust_nation, l_year order by supp_nation, cust_nation, l_year;

-- t07: answered
select o_year, sum(case when nation = 'BRAZIL' then volume else 0 end) / sum(volume) as mkt_share
from (
  select extract(year from o_orderdate) as o_year, l_extendedprice * (1 - l_discount) as volume, n2.n_name as nation
  from part, supplier, lineitem, orders, customer, nation n1, nation n2, region
  where p_partkey = l_partkey and s_suppkey = l_suppkey and l_orderkey = o_orderkey and o_custkey = c_custkey
    and c_nationkey = n1.n_nationkey and n1.n_regionkey = r_regionkey and r_name = 'AMERICA'
    and s_nationkey = n2.n_nationkey and o_orderdate between date '1995-01-01' and date '1996-12-31'
    and p_type = 'ECONOMY ANODIZED STEEL'
) as all_nations
group by o_year order by o_year;

-- t08: private: each group is a customer, with name and address: without her it is missing
select c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) as revenue, c_acctbal, n_name, c_address, c_phone, c_comment
from customer, orders, lineitem, nation
where c_custkey = o_custkey and l_orderkey = o_orderkey and o_orderdate >= date '1993-10-01'
  and o_orderdate < date '1993-10-01' + interval '3' month and l_returnflag = 'R' and c_nationkey = n_nationkey
group by c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment
order by revenue desc limit 20;

-- t09: answered
select l_shipmode,
  sum(case when o_orderpriority = '1-URGENT' or o_orderpriority = '2-HIGH' then 1 else 0 end) as high_line_count,
  sum(case when o_orderpriority <> '1-URGENT' and o_orderpriority <> '2-HIGH' then 1 else 0 end) as low_line_count
from orders, lineitem
where o_orderkey = l_orderkey and l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate
  and l_shipdate < l_commitdate and l_receiptdate >= date '1994-01-01' and l_receiptdate < date '1994-01-01' + interval '1' year
group by l_shipmode order by l_shipmode;

-- t10: answered
select c_count, count(*) as custdist
from (
  select c_custkey, count(o_orderkey)
  from customer left outer join orders on c_custkey = o_custkey and o_comment not like '%special%requests%'
  group by c_custkey
) as c_orders (c_custkey, c_count)
group by c_count order by custdist desc, c_count desc;

-- t11: answered
select 100.00 * sum(case when p_type like 'PROMO%' then l_extendedprice * (1 - l_discount) else 0 end)
  / sum(l_extendedprice * (1 - l_discount)) as promo_revenue
from lineitem, part
where l_partkey = p_partkey and l_shipdate >= date '1995-09-01' and l_shipdate < date '1995-09-01' + interval '1' month;

-- t12: private: the average of everybody's lines decides which lines count, and is not noisy: one customer who orders large amounts of a part moves all small lines below or above the limit
select sum(l_extendedprice) / 7.0 as avg_yearly
from lineitem, part
where p_partkey = l_partkey and p_brand = 'Brand#23' and p_container = 'MED BOX'
  and l_quantity < (select 0.2 * avg(l_quantity) from lineitem where l_partkey = p_partkey);

-- t13: private: each group is an order of a named customer: without her it is missing
select c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity)
from customer, orders, lineitem
where o_orderkey in (select l_orderkey from lineitem group by l_orderkey having sum(l_quantity) > 300)
  and c_custkey = o_custkey and o_orderkey = l_orderkey
group by c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
order by o_totalprice desc, o_orderdate limit 100;

-- t14: answered
select sum(l_extendedprice * (1 - l_discount)) as revenue
from lineitem, part
where (p_partkey = l_partkey and p_brand = 'Brand#12' and p_container in ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
       and l_quantity >= 1 and l_quantity <= 1 + 10 and p_size between 1 and 5
       and l_shipmode in ('AIR', 'AIR REG') and l_shipinstruct = 'DELIVER IN PERSON')
   or (p_partkey = l_partkey and p_brand = 'Brand#23' and p_container in ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
       and l_quantity >= 10 and l_quantity <= 10 + 10 and p_size between 1 and 10
       and l_shipmode in ('AIR', 'AIR REG') and l_shipinstruct = 'DELIVER IN PERSON');

-- t15: open: several private answers in one statement
select cntrycode, count(*) as numcust, sum(c_acctbal) as totacctbal
from (
  select substring(c_phone from 1 for 2) as cntrycode, c_acctbal
  from customer
  where substring(c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17')
    and c_acctbal > (select avg(c_acctbal) from customer
                     where c_acctbal > 0.00 and substring(c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17'))
    and not exists (select * from orders where o_custkey = c_custkey)
) as custsale
group by cntrycode order by cntrycode;

-- t16: answered
SELECT c_mktsegment, COUNT(*) AS customers, AVG(c_acctbal) AS balance FROM customer GROUP BY c_mktsegment;

-- t17: answered
SELECT n_name, COUNT(*) FROM customer JOIN nation ON c_nationkey = n_nationkey GROUP BY n_name ORDER BY 2 DESC;

-- t18: answered
SELECT r_name, AVG(c_acctbal)
FROM customer JOIN nation ON c_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey
GROUP BY r_name;

-- t19: answered
SELECT YEAR(o_orderdate) AS y, MONTH(o_orderdate) AS m, SUM(o_totalprice) AS revenue FROM orders GROUP BY y, m ORDER BY y, m;

-- t20: answered
SELECT strftime(o_orderdate, '%Y-Q') || quarter(o_orderdate) AS q, COUNT(*) FROM orders GROUP BY q;

-- t21: answered
SELECT o_orderstatus, COUNT(*), AVG(o_totalprice), MEDIAN(o_totalprice) FROM orders GROUP BY o_orderstatus;

-- t22: answered
SELECT AVG(orders_per_customer) FROM (SELECT o_custkey, COUNT(*) AS orders_per_customer FROM orders GROUP BY o_custkey);

-- t23: undeclared: MAX of a number of lines has no scale, unless at_most says how many lines there may be
SELECT AVG(lines), MAX(lines) FROM (SELECT l_orderkey, COUNT(*) AS lines FROM lineitem GROUP BY l_orderkey) o;

-- t24: answered
SELECT AVG(basket) AS mean_basket FROM (
  SELECT o_orderkey, SUM(l_extendedprice) AS basket FROM orders JOIN lineitem ON o_orderkey = l_orderkey
  WHERE o_orderdate >= '1997-01-01' GROUP BY o_orderkey
);

-- t25: answered
SELECT COUNT(DISTINCT o_custkey) AS active FROM orders WHERE o_orderdate >= DATE '1998-01-01';

-- t26: answered
SELECT date_trunc('month', o_orderdate) AS month, COUNT(DISTINCT o_custkey) AS active FROM orders GROUP BY month ORDER BY month;

-- t27: answered
SELECT p_brand, SUM(l_quantity) AS sold FROM lineitem JOIN part ON l_partkey = p_partkey GROUP BY p_brand ORDER BY sold DESC LIMIT 10;

-- t28: answered
SELECT s_name, SUM(l_extendedprice) FROM lineitem JOIN supplier ON l_suppkey = s_suppkey GROUP BY s_name ORDER BY 2 DESC LIMIT 5;

-- t29: answered
SELECT l_shipmode, AVG(date_diff('day', l_shipdate, l_receiptdate)) AS days FROM lineitem GROUP BY l_shipmode;

-- t30: answered
SELECT AVG(CASE WHEN l_receiptdate > l_commitdate THEN 1 ELSE 0 END) AS late FROM lineitem;

-- t31: answered
SELECT c_mktsegment, SUM(o_totalprice) AS revenue
FROM customer LEFT JOIN orders ON c_custkey = o_custkey
GROUP BY c_mktsegment ORDER BY revenue DESC;

-- t32: answered
SELECT COUNT(*) FROM customer WHERE c_custkey NOT IN (SELECT o_custkey FROM orders);

-- t33: answered
SELECT COUNT(*) FROM orders WHERE o_custkey IN (SELECT c_custkey FROM customer WHERE c_mktsegment = 'MACHINERY');

-- t34: private: names and balances of ten customers: without one of them another stands in her place
SELECT c_name, c_acctbal FROM customer ORDER BY c_acctbal DESC LIMIT 10;

-- t35: answered
SELECT COUNT(*) FROM (
  SELECT o_custkey, o_orderdate, LAG(o_orderdate) OVER (PARTITION BY o_custkey ORDER BY o_orderdate) AS previous FROM orders
) t WHERE o_orderdate - previous <= 30;

-- t36: answered
SELECT AVG(o_totalprice) FROM (
  SELECT o_totalprice, ROW_NUMBER() OVER (PARTITION BY o_custkey ORDER BY o_orderdate) AS nth FROM orders
) first_orders WHERE nth = 1;

-- t37: open: windows over groups, or over a person's rows
SELECT o_orderpriority, AVG(o_totalprice) FROM orders
QUALIFY ROW_NUMBER() OVER (PARTITION BY o_custkey ORDER BY o_orderdate DESC) = 1
GROUP BY o_orderpriority;

-- t38: answered
WITH spend AS (SELECT o_custkey, SUM(o_totalprice) AS total FROM orders GROUP BY o_custkey)
SELECT CASE WHEN total > 2000000 THEN 'gold' WHEN total > 500000 THEN 'silver' ELSE 'bronze' END AS tier, COUNT(*) AS customers, AVG(total) AS mean
FROM spend GROUP BY tier;

-- t39: answered
WITH spend AS (SELECT o_custkey AS id, SUM(o_totalprice) AS total FROM orders GROUP BY 1)
SELECT c_mktsegment, AVG(total) FROM spend JOIN customer ON spend.id = customer.c_custkey GROUP BY c_mktsegment;

-- t40: answered
SELECT o_orderdate, COUNT(*) FROM orders WHERE o_orderdate BETWEEN '1996-01-01' AND '1996-01-31' GROUP BY o_orderdate ORDER BY o_orderdate;

-- t41: answered
WITH y AS (SELECT YEAR(o_orderdate) AS yr, SUM(o_totalprice) AS rev FROM orders GROUP BY 1)
SELECT cur.yr, cur.rev / prev.rev - 1 AS growth FROM y cur JOIN y prev ON cur.yr = prev.yr + 1 ORDER BY cur.yr;

-- t42: answered
SELECT o_orderpriority, SUM(o_totalprice) AS revenue, SUM(SUM(o_totalprice)) OVER (ORDER BY o_orderpriority) AS running FROM orders GROUP BY o_orderpriority;

-- t43: answered
SELECT CORR(l_quantity, l_discount) FROM lineitem;

-- t44: answered
SELECT APPROX_QUANTILE(o_totalprice, 0.95) FROM orders;

-- t45: answered
SELECT COUNT(*) FROM orders WHERE o_comment LIKE '%urgent%' OR o_comment ILIKE '%asap%';

-- t46: answered
SELECT last_day(o_orderdate) AS month_end, SUM(o_totalprice) FROM orders WHERE YEAR(o_orderdate) = 1997 GROUP BY month_end;

-- t47: open: `tacit tables` answers it: several tables are one release of another kind
SELECT l_returnflag, l_linestatus, COUNT(*) FROM lineitem GROUP BY CUBE (l_returnflag, l_linestatus);

-- t48: answered
SELECT DATE_TRUNC('quarter', o_orderdate) AS __timestamp, o_orderpriority AS o_orderpriority, SUM(o_totalprice) AS "SUM(o_totalprice)"
FROM main.orders
WHERE o_orderdate >= CAST('1995-01-01' AS DATE) AND o_orderdate < CAST('1997-01-01' AS DATE)
GROUP BY DATE_TRUNC('quarter', o_orderdate), o_orderpriority
ORDER BY "SUM(o_totalprice)" DESC LIMIT 1000;

-- t49: answered
SELECT "Nation"."n_name" AS "Nation__n_name", COUNT(*) AS "count"
FROM "main"."customer"
LEFT JOIN "main"."nation" AS "Nation" ON "main"."customer"."c_nationkey" = "Nation"."n_nationkey"
GROUP BY "Nation"."n_name" ORDER BY "count" DESC, "Nation"."n_name" ASC;

-- t50: answered
SELECT CAST(DATE_TRUNC('month', "main"."orders"."o_orderdate") AS DATE) AS "o_orderdate", COUNT(DISTINCT "main"."orders"."o_custkey") AS "count"
FROM "main"."orders"
WHERE "main"."orders"."o_orderdate" >= DATE_TRUNC('month', CAST('1998-03-01' AS TIMESTAMP))
GROUP BY CAST(DATE_TRUNC('month', "main"."orders"."o_orderdate") AS DATE)
ORDER BY CAST(DATE_TRUNC('month', "main"."orders"."o_orderdate") AS DATE) ASC;

-- t51: answered
SELECT "orders"."o_orderpriority" AS "o_orderpriority", SUM("lineitem"."l_extendedprice" * (1 - "lineitem"."l_discount")) AS "sum:Revenue:ok"
FROM "orders" INNER JOIN "lineitem" ON ("orders"."o_orderkey" = "lineitem"."l_orderkey")
INNER JOIN "customer" ON ("orders"."o_custkey" = "customer"."c_custkey")
WHERE ("customer"."c_mktsegment" = 'AUTOMOBILE')
GROUP BY 1;

-- t52: answered
SELECT "t2"."c_mktsegment", SUM("t2"."o_totalprice") AS "total", COUNT(DISTINCT "t2"."c_custkey") AS "customers"
FROM (SELECT "t0"."c_custkey", "t0"."c_mktsegment", "t1"."o_totalprice", "t1"."o_orderdate"
      FROM "customer" AS "t0" INNER JOIN "orders" AS "t1" ON "t0"."c_custkey" = "t1"."o_custkey") AS "t2"
GROUP BY 1;

-- t53: answered
select "_"."o_orderstatus", "_"."a0" from (
  select "rows"."o_orderstatus" as "o_orderstatus", sum("rows"."o_totalprice") as "a0", count(distinct "rows"."o_custkey") as "a1"
  from "orders" "rows" group by "o_orderstatus"
) "_" where not "_"."a0" is null limit 1000001;

-- t54: open: an identifier on the right of a LEFT JOIN, which is NULL where no row was found
SELECT (EXTRACT(YEAR FROM orders.o_orderdate)) AS "orders.year", nation.n_name AS "nation.name",
       COALESCE(SUM(orders.o_totalprice), 0) AS "orders.revenue", COUNT(DISTINCT customer.c_custkey) AS "customer.count"
FROM orders AS orders
LEFT JOIN customer AS customer ON orders.o_custkey = customer.c_custkey
LEFT JOIN nation AS nation ON customer.c_nationkey = nation.n_nationkey
GROUP BY 1, 2 HAVING COUNT(*) > 50 ORDER BY 3 DESC LIMIT 500;

-- t55: open: quantiles, MIN and MAX of dates
SELECT epoch(MAX(o_orderdate)) FROM orders;

-- t56: private: the largest order of all decides which orders count, and is not noisy: with one customer's large order none is left
SELECT COUNT(*) AS big, SUM(o_totalprice) FROM orders WHERE o_totalprice >= ALL (SELECT o_totalprice FROM orders WHERE o_orderstatus = 'P');

-- t57: answered
SELECT p_type, SUM(l_quantity) q FROM lineitem, part WHERE l_partkey = p_partkey AND p_type LIKE '%BRASS' GROUP BY p_type;

-- t58: answered
SELECT LEFT(c_phone, 2) AS country, COUNT(*) FROM customer GROUP BY country;

-- t59: answered
SELECT c.c_mktsegment, l.l_shipmode, SUM(l.l_extendedprice) FROM customer c JOIN orders o ON c.c_custkey = o.o_custkey JOIN lineitem l ON l.l_orderkey = o.o_orderkey GROUP BY 1, 2;

-- t60: answered
SELECT COUNT(DISTINCT l_partkey) FROM lineitem;
