{{- define "cert-manager.selector" -}}
app.kubernetes.io/name: cert-manager
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cert-manager.labels" -}}
{{ include "cert-manager.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
