{{- define "reloader.selector" -}}
app.kubernetes.io/name: reloader
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "reloader.labels" -}}
{{ include "reloader.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
