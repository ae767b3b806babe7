{{/*
What no schema can say: values that contradict each other, or what is in the cluster. Each is one
sentence, before anything is changed.
*/}}
{{- define "assay.validate" -}}
{{- include "assay.validateNamespaces" . -}}
{{- include "assay.validateAuth" . -}}
{{- include "assay.validatePods" . -}}
{{- include "assay.validateFrontEnd" . -}}
{{- include "assay.validateClasses" . -}}
{{- include "assay.validateQuotas" . -}}
{{- include "assay.validateOutputStore" . -}}
{{- include "assay.validateToolGateway" . -}}
{{- end }}

{{- define "assay.validateNamespaces" -}}
{{- $namespaces := include "assay.runNamespaceNames" . | fromJsonArray -}}
{{- if ne (len $namespaces) (len (uniq $namespaces)) -}}
{{- fail "runNamespaces: a name occurs twice" -}}
{{- end -}}
{{- if has .Release.Namespace $namespaces -}}
{{- fail (printf "runNamespaces: %s is the release namespace; runs need a namespace of their own" .Release.Namespace) -}}
{{- end -}}
{{- range .Values.runNamespaces -}}
{{- if and .external .create -}}
{{- fail (printf "runNamespaces: %s has both external and create: set create to false, or remove external" .name) -}}
{{- end -}}
{{- with .userIds -}}
{{- if le (int64 .last) (int64 .first) -}}
{{- fail "runNamespaces: userIds.last must be above userIds.first" -}}
{{- end -}}
{{- if and (le (int64 .first) 65535) (ge (int64 .last) 65530) -}}
{{- fail "runNamespaces: userIds must not include 65530 to 65535, which belong to Assay's other Pods" -}}
{{- end -}}
{{- end -}}
{{- $seen := dict -}}
{{- range .sourceVolumes -}}
{{- if hasKey $seen .name -}}
{{- fail (printf "runNamespaces: a source volume name occurs twice: %s" .name) -}}
{{- end -}}
{{- $_ := set $seen .name true -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "assay.validateAuth" -}}
{{- $namespaces := include "assay.runNamespaceNames" . | fromJsonArray -}}
{{- if and (eq .Values.auth.mode "apiKeys") (not .Values.auth.keys) (not .Values.auth.existingSecret) -}}
{{- fail "auth: mode apiKeys needs auth.keys or auth.existingSecret. Create a key with `openssl rand -hex 32` and give its SHA-256 in auth.keys, or set auth.mode=disabled for a trial" -}}
{{- end -}}
{{- if and .Values.auth.keys .Values.auth.existingSecret -}}
{{- fail "auth: set either auth.keys or auth.existingSecret, not both" -}}
{{- end -}}
{{- if and .Values.auth.anyone.namespace (not (has .Values.auth.anyone.namespace $namespaces)) -}}
{{- fail (printf "auth.anyone.namespace: %q is not among runNamespaces" .Values.auth.anyone.namespace) -}}
{{- end -}}
{{- range .Values.auth.keys -}}
{{- if not (has .namespace $namespaces) -}}
{{- fail (printf "auth.keys: the namespace %q of caller %q is not among runNamespaces" .namespace .caller) -}}
{{- end -}}
{{- end -}}
{{- if eq .Values.auth.mode "apiKeys" -}}
{{- include "assay.validateSecret" (list . "auth.existingSecret" .Values.auth.existingSecret (list "keys.yaml")) -}}
{{- with .Values.auth.existingSecret -}}
{{- with (lookup "v1" "Secret" $.Release.Namespace .).data -}}
{{- if not (index . "keys.yaml" | b64dec | fromYaml).keys -}}
{{- fail (printf "auth.existingSecret: keys.yaml in the Secret %q contains no list of keys" $.Values.auth.existingSecret) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/*
A Secret that exists must have its entries. One that does not exist may still be created.
Arguments: root, the value, its name, the entries.
*/}}
{{- define "assay.validateSecret" -}}
{{- $root := index . 0 -}}
{{- $value := index . 1 -}}
{{- $name := index . 2 -}}
{{- if $name -}}
{{- $secret := lookup "v1" "Secret" $root.Release.Namespace $name -}}
{{- if $secret -}}
{{- range index . 3 -}}
{{- if not (get ($secret.data | default dict) .) -}}
{{- fail (printf "%s: the Secret %q has no entry %s" $value $name .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "assay.validatePods" -}}
{{- range $component := list "operator" "frontend" "toolGateway" -}}
{{- $values := index $.Values $component -}}
{{- range $label := list "name" "instance" "component" -}}
{{- if hasKey ($values.podLabels | default dict) (print "app.kubernetes.io/" $label) -}}
{{- fail (printf "%s.podLabels: app.kubernetes.io/%s is set by the chart" $component $label) -}}
{{- end -}}
{{- end -}}
{{- range $annotation, $_ := $values.podAnnotations -}}
{{- if hasPrefix "checksum/" $annotation -}}
{{- fail (printf "%s.podAnnotations: %s is set by the chart" $component $annotation) -}}
{{- end -}}
{{- end -}}
{{- range $values.extraEnv -}}
{{- if has .name (list "POD_NAME" "POD_NAMESPACE" "POD_UID" "POD_IP" "ASSAY_LOG_FORMAT") -}}
{{- fail (printf "%s.extraEnv: %s is set by the chart" $component .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The front end refuses these itself, but only once it is being replaced. */}}
{{- define "assay.validateFrontEnd" -}}
{{- $defaults := .Values.frontend.defaults -}}
{{- range list "timeoutSeconds" "codeTimeoutSeconds" -}}
{{- if gt (int (get $defaults .)) (int $defaults.maxTimeoutSeconds) -}}
{{- fail (printf "frontend.defaults: %s is above maxTimeoutSeconds" .) -}}
{{- end -}}
{{- end -}}
{{- $limits := .Values.frontend.limits -}}
{{- if gt (int64 $limits.maxConcurrentCallsPerCaller) (int64 $limits.maxConcurrentCalls) -}}
{{- fail "frontend.limits: maxConcurrentCallsPerCaller is above maxConcurrentCalls" -}}
{{- end -}}
{{- $named := dict "frontend.defaults.runClass" .Values.frontend.defaults.runClass "frontend.defaults.sqlRunClass" .Values.frontend.defaults.sqlRunClass "frontend.defaults.codeRunClass" .Values.frontend.defaults.codeRunClass -}}
{{- if .Values.codeExecution.enabled -}}
{{- $_ := set $named "codeExecution.runClass" .Values.codeExecution.runClass -}}
{{- end -}}
{{- range $field, $class := $named -}}
{{- if not (get $.Values.classes $class) -}}
{{- fail (printf "%s: no class %q among classes" $field $class) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The API server refuses most of these, too, but only after other objects were changed. */}}
{{- define "assay.validateClasses" -}}
{{- $namespaces := include "assay.runNamespaceNames" . | fromJsonArray -}}
{{- range $name, $class := .Values.classes -}}
{{- if $class -}}
{{- $allowed := $class.allowedNamespaces | default (list "*") -}}
{{- $open := list -}}
{{- range $namespaces -}}
{{- if or (has "*" $allowed) (has . $allowed) -}}
{{- $open = append $open . -}}
{{- end -}}
{{- end -}}
{{- if not $open -}}
{{- fail (printf "classes.%s: none of its allowedNamespaces is among runNamespaces" $name) -}}
{{- end -}}
{{- $languages := $class.languages | default list -}}
{{- if eq $class.purpose "Run" -}}
{{- if not $languages -}}
{{- fail (printf "classes.%s: a class of purpose Run names its languages" $name) -}}
{{- end -}}
{{- if $class.source -}}
{{- fail (printf "classes.%s: source is for classes of purpose Snapshot" $name) -}}
{{- end -}}
{{- else -}}
{{- range list "languages" "artifacts" "guard" "tools" "maxConcurrentRuns" "maxRunning" "warmPool" "egressCheck" "mirrorLogs" "podRetentionSeconds" -}}
{{- if get $class . -}}
{{- fail (printf "classes.%s: %s is for classes of purpose Run" $name .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $class.defaultFor -}}
{{- if not (has . $languages) -}}
{{- fail (printf "classes.%s: defaultFor has %s, which is not among its languages" $name .) -}}
{{- end -}}
{{- end -}}
{{- if gt (int $class.timeouts.defaultSeconds) (int $class.timeouts.maxSeconds) -}}
{{- fail (printf "classes.%s.timeouts: defaultSeconds is above maxSeconds" $name) -}}
{{- end -}}
{{- with $class.warmPool -}}
{{- if and (hasKey . "max") (gt (int .min) (int .max)) -}}
{{- fail (printf "classes.%s.warmPool: min is above max" $name) -}}
{{- end -}}
{{- end -}}
{{- with $class.resources.cpuRequest -}}
{{- if gt (float64 (include "assay.amount" .)) (float64 (include "assay.amount" $class.resources.cpu)) -}}
{{- fail (printf "classes.%s.resources: cpuRequest is above cpu" $name) -}}
{{- end -}}
{{- end -}}
{{- range $label, $_ := $class.podLabels -}}
{{- if or (hasPrefix "assay.dev/" $label) (hasPrefix "app.kubernetes.io/" $label) -}}
{{- fail (printf "classes.%s.podLabels: %s is set by Assay" $name $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/*
The Pods of classes that calls get by themselves must fit a quota and a LimitRange, which those of
others need not.
*/}}
{{- define "assay.validateQuotas" -}}
{{- $defaults := .Values.frontend.defaults -}}
{{- $usual := list $defaults.runClass $defaults.sqlRunClass $defaults.codeRunClass "snapshot" -}}
{{- if .Values.codeExecution.enabled -}}
{{- $usual = append $usual .Values.codeExecution.runClass -}}
{{- end -}}
{{- range $namespace := .Values.runNamespaces -}}
{{- if not $namespace.external -}}
{{- $volume := $namespace.snapshotVolume | default dict -}}
{{- if not $volume.existingClaim -}}
{{- $size := $volume.size | default "10Gi" -}}
{{- $limits := list (get ($namespace.quota | default $.Values.runNamespaceDefaults.quota) "requests.storage") -}}
{{- range $namespace.limitRange | default $.Values.runNamespaceDefaults.limitRange -}}
{{- if eq .type "PersistentVolumeClaim" -}}
{{- $limits = append $limits (get (.max | default dict) "storage") -}}
{{- end -}}
{{- end -}}
{{- range $limits -}}
{{- $limit := kindIs "invalid" . | ternary "" (include "assay.amount" .) -}}
{{- if and $limit (lt (float64 $limit) (float64 (include "assay.amount" $size))) -}}
{{- fail (printf "runNamespaces: the quota or LimitRange of %s allows %v of storage, below its snapshotVolume.size %s; raise the limit or lower the size" $namespace.name . $size) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name := uniq $usual -}}
{{- $class := get $.Values.classes $name -}}
{{- $allowed := ($class | default dict).allowedNamespaces | default (list "*") -}}
{{- if and $class (or (has "*" $allowed) (has $namespace.name $allowed)) -}}
{{- $pod := include "assay.podAmounts" $class | fromJson -}}
{{- range $resource, $hard := $namespace.quota | default $.Values.runNamespaceDefaults.quota -}}
{{- $limit := include "assay.amount" $hard -}}
{{- if and $limit (hasKey $pod $resource) (lt (float64 $limit) (float64 (get $pod $resource))) -}}
{{- fail (printf "runNamespaces: the quota of %s has %s: %v, and one Pod of class %s needs %s" $namespace.name $resource $hard $name (include "assay.amountText" (list $resource (get $pod $resource)))) -}}
{{- end -}}
{{- end -}}
{{- range $entry := $namespace.limitRange | default $.Values.runNamespaceDefaults.limitRange -}}
{{- range $resource, $hard := $entry.max -}}
{{- $limit := include "assay.amount" $hard -}}
{{- $needed := get $class.resources $resource -}}
{{- if and $limit $needed (ne $entry.type "PersistentVolumeClaim") -}}
{{- $amount := eq $entry.type "Pod" | ternary (get $pod (print "limits." $resource)) (include "assay.amount" $needed) -}}
{{- if lt (float64 $limit) (float64 $amount) -}}
{{- fail (printf "runNamespaces: the LimitRange of %s allows a %s %v of %s, and that of class %s needs %s" $namespace.name $entry.type $hard $resource $name (include "assay.amountText" (list $resource $amount))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "assay.validateOutputStore" -}}
{{- $store := .Values.operator.outputStore -}}
{{- if gt (int .Values.operator.replicas) 1 -}}
{{- $modes := $store.accessModes -}}
{{- if $store.existingClaim -}}
{{- $claim := lookup "v1" "PersistentVolumeClaim" .Release.Namespace $store.existingClaim -}}
{{- $modes = ternary ($claim.spec).accessModes (list "ReadWriteMany") (not (empty $claim)) -}}
{{- end -}}
{{- if not (has "ReadWriteMany" $modes) -}}
{{- fail "operator: more than one replica needs an output store with access mode ReadWriteMany" -}}
{{- end -}}
{{- end -}}
{{- if gt (int64 $store.limits.cacheMaxBytesPerNamespace) (int64 $store.limits.maxBytesPerNamespace) -}}
{{- fail "operator.outputStore.limits: cacheMaxBytesPerNamespace is above maxBytesPerNamespace, of which it is a part" -}}
{{- end -}}
{{- if and (not $store.existingClaim) $store.checkSize -}}
{{- $needed := include "assay.outputStoreBytes" . -}}
{{- if lt (float64 (include "assay.amount" $store.size)) (float64 $needed) -}}
{{- fail (printf "operator.outputStore: size %s is below the %s that its run namespaces can fill; raise it, lower limits.maxBytesPerNamespace, or set checkSize=false for a volume that is larger than its claim" $store.size (include "assay.bytes" $needed)) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/*
The bytes of the output store: what the limits allow each namespace, the files of the runs whose
transfer is not finished, and 1 GiB for its reserve and what the limits do not count. How many
transfers there are is in ArtifactTransfer of the operator.
*/}}
{{- define "assay.outputStoreBytes" -}}
{{- $namespaces := len .Values.runNamespaces -}}
{{- $artifacts := 0 -}}
{{- range .Values.classes -}}
{{- if and . (eq .purpose "Run") -}}
{{- $limit := (.artifacts | default dict).limitBytes -}}
{{- $artifacts = max $artifacts (int64 (kindIs "invalid" $limit | ternary 67108864 $limit)) -}}
{{- end -}}
{{- end -}}
{{- $each := int64 .Values.operator.outputStore.limits.maxBytesPerNamespace -}}
{{- if .Values.toolGateway.enabled -}}
{{- $each = add $each 268435456 -}}
{{- end -}}
{{- add (mul $namespaces $each) (mul (min (mul 8 $namespaces) 32) $artifacts) 1073741824 -}}
{{- end }}

{{- define "assay.validateToolGateway" -}}
{{- if .Values.toolGateway.enabled -}}
{{- $namespaces := include "assay.runNamespaceNames" . | fromJsonArray -}}
{{- if or (has .Values.toolGateway.credentialNamespace.name $namespaces) (eq .Values.toolGateway.credentialNamespace.name .Release.Namespace) -}}
{{- fail "toolGateway.credentialNamespace: credentials need a namespace of their own" -}}
{{- end -}}
{{- include "assay.validateSecret" (list . "toolGateway.tls.existingSecret" .Values.toolGateway.tls.existingSecret (list "tls.crt" "tls.key" "ca.crt")) -}}
{{- end -}}
{{- end }}
