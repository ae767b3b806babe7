SELECT regexp_replace(url, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS host, avg(length(url)) AS length,
       count(*) AS views, min(url) AS first_url
FROM hits
GROUP BY host
HAVING count(*) > 1000
ORDER BY length DESC, host
LIMIT 25
