SELECT search_phrase, count(*) AS views
FROM hits
WHERE search_phrase <> ''
GROUP BY search_phrase
ORDER BY views DESC, search_phrase
LIMIT 10
