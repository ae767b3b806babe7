{{/* Labels of every object. */}}
{{- define "assay.labels" -}}
app.kubernetes.io/name: assay
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Labels that select Pods; arguments: root, component. */}}
{{- define "assay.selectorLabels" -}}
app.kubernetes.io/name: assay
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* An image of this project; arguments: values, name. A digest comes before the tag. */}}
{{- define "assay.image" -}}
{{- $image := (index . 0).image -}}
{{- $name := index . 1 -}}
{{- with $image.registry }}{{ . }}/{{ end }}{{ with $image.repositoryPrefix }}{{ . }}/{{ end }}{{ $name }}
{{- with index $image.digests $name }}@{{ . }}{{ else }}:{{ $image.tag }}{{ end }}
{{- end }}

{{/*
Labels and annotations of the Pods of a component; arguments: root, component, its values, and the
templates whose changes restart them.
*/}}
{{- define "assay.podMetadata" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index . 2 -}}
labels:
  {{- include "assay.selectorLabels" (list $root $component) | nindent 2 }}
  {{- with $values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  {{- range index . 3 }}
  checksum/{{ base . | trimSuffix ".yaml" }}: {{ include (printf "%s/%s" $root.Template.BasePath .) $root | sha256sum }}
  {{- end }}
  {{- with $values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Who runs the Pods of a component, and its pull Secrets; argument: root. */}}
{{- define "assay.podIdentity" -}}
securityContext:
  {{- include "assay.podSecurityContext" . | nindent 2 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Where the Pods of a component go; arguments: root, component, its values. */}}
{{- define "assay.scheduling" -}}
{{- $values := index . 2 -}}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- if $values.affinity }}
affinity:
  {{- toYaml $values.affinity | nindent 2 }}
{{- else if gt (int $values.replicas) 1 }}
# A node that is drained takes one replica and not all.
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "assay.selectorLabels" (list (index . 0) (index . 1)) | nindent 14 }}
{{- end }}
{{- range $name := list "topologySpreadConstraints" "nodeSelector" "tolerations" }}
{{- with index $values $name }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* A drain takes one replica of a component at a time; arguments: root, component, its values. */}}
{{- define "assay.disruptionBudget" -}}
{{- $root := index . 0 -}}
{{- if gt (int (index . 2).replicas) 1 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: assay-{{ index . 1 }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "assay.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ index . 1 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "assay.selectorLabels" (list $root (index . 1)) | nindent 6 }}
{{- end }}
{{- end }}

{{/*
Security context of our own Pods: Pod Security "restricted". The user is nobody else's: the kernel
counts much of what a process holds by user, over all Pods of a node.
*/}}
{{- define "assay.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65530
runAsGroup: 65530
fsGroup: 65530
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "assay.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Snapshot claim of a run namespace. */}}
{{- define "assay.snapshotClaim" -}}
{{- (.snapshotVolume).existingClaim | default "assay-snapshots" -}}
{{- end }}

{{- define "assay.outputClaim" -}}
{{- .Values.operator.outputStore.existingClaim | default "assay-operator-output" -}}
{{- end }}

{{- define "assay.runNamespaceNames" -}}
{{- $names := list -}}
{{- range .Values.runNamespaces }}{{ $names = append $names .name }}{{ end -}}
{{- toJson $names -}}
{{- end }}

{{/* Those that others create. */}}
{{- define "assay.externalNamespaceNames" -}}
{{- $names := list -}}
{{- range .Values.runNamespaces }}{{ if .external }}{{ $names = append $names .name }}{{ end }}{{ end -}}
{{- toJson $names -}}
{{- end }}

{{/* The Secret that holds keys.yaml. */}}
{{- define "assay.keysSecret" -}}
{{- .Values.auth.existingSecret | default "assay-api-keys" -}}
{{- end }}

{{/* The name that the operator finds the replicas of the tool gateway by. */}}
{{- define "assay.toolGatewayHost" -}}
assay-tool-gateway.{{ .Release.Namespace }}.svc
{{- end }}

{{/* The Secret with its certificate. */}}
{{- define "assay.toolGatewaySecret" -}}
{{- .Values.toolGateway.tls.existingSecret | default "assay-tool-gateway-tls" -}}
{{- end }}

{{/* A range of addresses, of which a NetworkPolicy requires the length. */}}
{{- define "assay.addressRange" -}}
{{- if contains "/" . }}{{ . }}{{ else if contains ":" . }}{{ . }}/128{{ else }}{{ . }}/32{{ end -}}
{{- end }}

{{/* The addresses of the API server, as far as they are known: an array in JSON. */}}
{{- define "assay.apiServerAddresses" -}}
{{- $addresses := .Values.toolGateway.apiServer.addresses -}}
{{- if not $addresses -}}
{{- with (lookup "v1" "Service" "default" "kubernetes").spec -}}
{{- $addresses = append $addresses .clusterIP -}}
{{- end -}}
{{- range (lookup "discovery.k8s.io/v1" "EndpointSlice" "default" "kubernetes").endpoints -}}
{{- $addresses = concat $addresses .addresses -}}
{{- end -}}
{{- end -}}
{{- toJson $addresses -}}
{{- end }}
