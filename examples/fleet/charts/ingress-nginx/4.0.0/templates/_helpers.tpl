{{- define "ingress-nginx.selector" -}}
app.kubernetes.io/name: ingress-nginx
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ingress-nginx.labels" -}}
{{ include "ingress-nginx.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* Annotations that a simulated kubelet obeys; a real one ignores them. */}}
{{- define "ingress-nginx.simulate" -}}
{{- with .Values.simulate }}
{{- if .readyAfter }}
kube.causeway.io/ready-after: {{ .readyAfter | quote }}
{{- end }}
{{- if .neverReady }}
kube.causeway.io/never-ready: "true"
{{- end }}
{{- if .fail }}
kube.causeway.io/fail: "true"
{{- end }}
{{- end }}
{{- end }}
