# A figure of plotly as JSON and HTML
import json
import plotly.express as px
figure = px.bar(x=["a", "b"], y=[1, 2])
print(json.loads(figure.to_json())["data"][0]["type"], "plotly" in figure.to_html()[:3000])
print(figure.layout.xaxis.title.text)
