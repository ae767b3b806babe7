SELECT search_phrase, min(url) AS first_url, count(*) AS views
FROM hits
WHERE url LIKE '%shop%' AND search_phrase <> ''
GROUP BY search_phrase
ORDER BY views DESC, search_phrase
LIMIT 10
