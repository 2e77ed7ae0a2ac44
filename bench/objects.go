package main

import (
	"fmt"
	"strings"
)

// objectsPerApp is what each application has beside its Namespace.
const objectsPerApp = 4

// manifests are the four objects of an application: nothing that starts a
// pod, so that the API server and the engine are measured and nothing else.
func manifests(app string, version int) string {
	labels := fmt.Sprintf("{app: %s}", app)
	return strings.Join([]string{
		fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, labels: %s}\ndata: {version: \"%d\", mode: standard, greeting: hello}\n", labels, version),
		fmt.Sprintf("apiVersion: v1\nkind: Service\nmetadata: {name: web, labels: %s}\nspec:\n  selector: %s\n  ports: [{name: http, port: 80, targetPort: 8080, protocol: TCP}]\n", labels, labels),
		fmt.Sprintf("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web, labels: %s}\n", labels),
		fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: %s}\nspec:\n  replicas: 0\n  selector: {matchLabels: %s}\n  template:\n    metadata: {labels: %s}\n    spec:\n      serviceAccountName: web\n      containers:\n        - name: web\n          image: registry.example.com/web:1.0.0\n          ports: [{name: http, containerPort: 8080, protocol: TCP}]\n          envFrom: [{configMapRef: {name: settings}}]\n          resources: {requests: {cpu: 10m, memory: 16Mi}}\n", labels, labels, labels),
	}, "---\n")
}

func appName(i int) string { return fmt.Sprintf("app-%04d", i) }
