{{- define "fluent-bit.selector" -}}
app.kubernetes.io/name: fluent-bit
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "fluent-bit.labels" -}}
{{ include "fluent-bit.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
