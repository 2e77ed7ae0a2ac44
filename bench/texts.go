package main

// The texts of the made-up repository.
const (
	chartSet = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: %[1]s, namespace: argocd}
spec:
  generators:
  - clusters: {selector: {matchExpressions: [{key: environment, operator: Exists}]}}
  template:
    metadata: {name: '%[1]s-{{name}}'}
    spec:
      project: default
      source:
        repoURL: %[2]s
        path: charts/%[1]s
        targetRevision: main
        helm:
          releaseName: %[1]s
          valueFiles: ['../../values/{{metadata.labels.environment}}/%[1]s.yaml']
          parameters: [{name: region, value: '{{metadata.annotations.region}}'}]
      destination: {name: '{{name}}', namespace: %[1]s}
`
	kustomizeSet = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: %[1]s, namespace: argocd}
spec:
  generators:
  - clusters: {selector: {matchExpressions: [{key: environment, operator: Exists}]}}
  template:
    metadata: {name: '%[1]s-{{name}}'}
    spec:
      project: default
      source:
        repoURL: %[2]s
        path: kustomize/%[1]s/{{metadata.labels.environment}}
        targetRevision: main
        kustomize: {commonAnnotations: {region: '{{metadata.annotations.region}}'}}
      destination: {name: '{{name}}', namespace: %[1]s}
`
	chartHelpers = `{{- define "%[1]s.labels" -}}
app.kubernetes.io/name: %[1]s
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%%s-%%s" .Chart.Name .Chart.Version }}
{{- end }}
`
	chartWorkload = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  labels: {{- include "NAME.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec:
      containers:
      - name: main
        image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
        {{- with .Values.resources }}
        resources: {{- toYaml . | nindent 10 }}
        {{- end }}
        env:
        {{- range $k, $v := .Values.config }}
        - {name: {{ upper $k }}, value: {{ $v | quote }}}
        {{- end }}
`
	chartService = `apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}
  labels: {{- include "NAME.labels" . | nindent 4 }}
spec:
  selector: {app: NAME}
  ports: [{port: 80}]
`
	chartConfig = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
  labels: {{- include "NAME.labels" . | nindent 4 }}
data:
  region: {{ .Values.region | default "none" | quote }}
  config.json: {{ .Values.config | toJson | quote }}
`
	chartAccount = `apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .Release.Name }}
  labels: {{- include "NAME.labels" . | nindent 4 }}
`
	baseWorkload = `apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  replicas: 1
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec:
      containers:
      - name: main
        image: registry.example.com/NAME:1.0
        envFrom: [{configMapRef: {name: config}}]
`
	baseService = `apiVersion: v1
kind: Service
metadata: {name: NAME}
spec:
  selector: {app: NAME}
  ports: [{port: 80}]
`
)
