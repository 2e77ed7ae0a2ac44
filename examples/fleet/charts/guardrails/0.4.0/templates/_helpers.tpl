{{- define "guardrails.selector" -}}
app.kubernetes.io/name: guardrails
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "guardrails.labels" -}}
{{ include "guardrails.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
