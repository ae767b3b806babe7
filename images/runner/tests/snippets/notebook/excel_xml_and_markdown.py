# Excel, XML, HTML and Markdown
import pandas as pd
df = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
df.to_excel("table.xlsx", index=False)
print(pd.read_excel("table.xlsx"))
df.to_xml("table.xml")
print(pd.read_xml("table.xml")["a"].sum(), pd.read_html(__import__("io").StringIO(df.to_html()))[0].shape)
print(df.to_markdown())
print(df.style.format({"a": "{:.1f}"}).to_html(uuid="t").count("<td"))
