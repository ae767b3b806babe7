{{/*
A quantity of Kubernetes as a number of bytes or of CPUs; empty if it is not one that the schema
accepts, as may be in a quota.
*/}}
{{- define "assay.amount" -}}
{{- $text := kindIs "string" . | ternary . (printf "%d" (int64 .)) -}}
{{- $number := regexFind "^[0-9]+(\\.[0-9]+)?" $text -}}
{{- $factor := get (dict
  "" 1.0 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15
  "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0
) (trimPrefix $number $text) -}}
{{- if and $number $factor -}}
{{- printf "%.3f" (mulf (float64 $number) $factor) -}}
{{- end -}}
{{- end }}

{{/* Bytes, in the largest unit that they are a whole number of. */}}
{{- define "assay.bytes" -}}
{{- $mebibytes := divf (float64 .) 1048576.0 | ceil | int64 -}}
{{- if mod $mebibytes 1024 -}}{{ $mebibytes }}Mi{{- else -}}{{ div $mebibytes 1024 }}Gi{{- end -}}
{{- end }}

{{/* An amount of a resource; arguments: its name, the amount. */}}
{{- define "assay.amountText" -}}
{{- if contains "memory" (index . 0) -}}{{ include "assay.bytes" (index . 1) }}{{- else -}}{{ float64 (index . 1) }}{{- end -}}
{{- end }}

{{/*
What the Pod of a run or snapshot of a class requests and may use, by the names of a quota, in JSON.
The supervisor beside its worker is as RunnerPod of the operator creates it.
*/}}
{{- define "assay.podAmounts" -}}
{{- $resources := .resources -}}
{{- $output := div (mul 2 (int64 .output.limitBytes)) 1048576 -}}
{{- $memory := addf (float64 (include "assay.amount" $resources.memory)) (mulf (add 96 $output) 1048576.0) -}}
{{- $requests := addf (float64 (include "assay.amount" ($resources.cpuRequest | default $resources.cpu))) 0.05 -}}
{{- $limits := addf (float64 (include "assay.amount" $resources.cpu)) 1.0 -}}
{{- toJson (dict
  "pods" 1.0 "count/pods" 1.0
  "cpu" $requests "requests.cpu" $requests "limits.cpu" $limits
  "memory" $memory "requests.memory" $memory "limits.memory" $memory
) -}}
{{- end }}
