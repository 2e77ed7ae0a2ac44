{{- define "opencost.selector" -}}
app.kubernetes.io/name: opencost
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "opencost.labels" -}}
{{ include "opencost.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
