{{- define "velero.selector" -}}
app.kubernetes.io/name: velero
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "velero.labels" -}}
{{ include "velero.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
