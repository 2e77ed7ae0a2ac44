{{- define "metrics-server.selector" -}}
app.kubernetes.io/name: metrics-server
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "metrics-server.labels" -}}
{{ include "metrics-server.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
