{{- define "efs-csi-driver.selector" -}}
app.kubernetes.io/name: efs-csi-driver
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "efs-csi-driver.labels" -}}
{{ include "efs-csi-driver.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
