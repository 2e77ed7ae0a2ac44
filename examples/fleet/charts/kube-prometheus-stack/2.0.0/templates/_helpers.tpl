{{- define "kube-prometheus-stack.selector" -}}
app.kubernetes.io/name: kube-prometheus-stack
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "kube-prometheus-stack.labels" -}}
{{ include "kube-prometheus-stack.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
