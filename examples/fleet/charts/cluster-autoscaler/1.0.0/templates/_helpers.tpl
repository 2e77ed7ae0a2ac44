{{- define "cluster-autoscaler.selector" -}}
app.kubernetes.io/name: cluster-autoscaler
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cluster-autoscaler.labels" -}}
{{ include "cluster-autoscaler.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
