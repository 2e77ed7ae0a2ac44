{{- define "external-secrets.selector" -}}
app.kubernetes.io/name: external-secrets
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "external-secrets.labels" -}}
{{ include "external-secrets.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* Annotations that a simulated kubelet obeys; a real one ignores them. */}}
{{- define "external-secrets.simulate" -}}
{{- with .Values.simulate }}
{{- if .readyAfter }}
kube.causeway.io/ready-after: {{ .readyAfter | quote }}
{{- end }}
{{- if .neverReady }}
kube.causeway.io/never-ready: "true"
{{- end }}
{{- if .fail }}
kube.causeway.io/fail: "true"
{{- end }}
{{- end }}
{{- end }}
