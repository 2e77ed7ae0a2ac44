package object

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

func TestRisks(t *testing.T) {
	crd := func(scope, versions string) string {
		return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ws.e.com}\nspec: {group: e.com, scope: " + scope + ", names: {kind: W, plural: ws}, versions: [" + versions + "]}"
	}
	v1 := func(schema string) string {
		return "{name: v1, served: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {" + schema + "}}}}}"
	}
	immutable, deletion, changed := forecast.RiskImmutable, forecast.RiskDeletion, forecast.RiskCRDChanged
	cases := map[string]struct {
		before, after string
		kind          forecast.RiskKind
		want          string // part of the message; empty: no risk
	}{
		"selector":                 {wrap("apps/v1", "Deployment", "spec: {selector: {matchLabels: {a: b}}}"), wrap("apps/v1", "Deployment", "spec: {selector: {matchLabels: {a: c}}}"), immutable, "spec.selector cannot"},
		"template of workloads":    {wrap("apps/v1", "Deployment", "spec: {template: {metadata: {labels: {a: b}}}}"), wrap("apps/v1", "Deployment", "spec: {template: {metadata: {labels: {a: c}}}}"), "", ""},
		"forced":                   {wrap("apps/v1", "Deployment", "spec: {selector: {a: b}}"), "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x, namespace: ns, annotations: {argocd.argoproj.io/sync-options: 'Replace=true, Force=true'}}\nspec: {selector: {a: c}}", immutable, "creates it anew"},
		"service name":             {wrap("apps/v1", "StatefulSet", "spec: {serviceName: a}"), wrap("apps/v1", "StatefulSet", "spec: {serviceName: b}"), immutable, "spec.serviceName"},
		"replicas":                 {wrap("apps/v1", "StatefulSet", "spec: {replicas: 1}"), wrap("apps/v1", "StatefulSet", "spec: {replicas: 2, revisionHistoryLimit: 3, podManagementPolicy: OrderedReady}"), "", ""},
		"claim template":           {wrap("apps/v1", "StatefulSet", "spec: {volumeClaimTemplates: [{metadata: {name: d}, spec: {resources: {requests: {storage: 1Gi}}}}]}"), wrap("apps/v1", "StatefulSet", "spec: {volumeClaimTemplates: [{metadata: {name: d}, spec: {resources: {requests: {storage: 2Gi}}}}]}"), immutable, "spec.volumeClaimTemplates"},
		"same claim template":      {wrap("apps/v1", "StatefulSet", "spec: {volumeClaimTemplates: [{metadata: {name: d}, spec: {resources: {requests: {storage: 1Gi}}}}]}"), wrap("apps/v1", "StatefulSet", "spec: {volumeClaimTemplates: [{kind: PersistentVolumeClaim, metadata: {name: d}, spec: {volumeMode: Filesystem, resources: {requests: {storage: 1024Mi}}}}]}"), "", ""},
		"job":                      {wrap("batch/v1", "Job", "spec: {template: {spec: {containers: [{name: a, image: a:1}]}}}"), wrap("batch/v1", "Job", "spec: {template: {spec: {containers: [{name: a, image: a:2}]}}}"), immutable, "spec.template"},
		"hook":                     {"apiVersion: batch/v1\nkind: Job\nmetadata: {name: x, namespace: ns, annotations: {helm.sh/hook: pre-install}}\nspec: {template: {a: b}}", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x, namespace: ns, annotations: {helm.sh/hook: pre-install}}\nspec: {template: {a: c}}", "", ""},
		"becomes a hook":           {wrap("v1", "ConfigMap", "data: {a: b}"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: ns, annotations: {argocd.argoproj.io/hook: PostSync}}\ndata: {a: c}", deletion, "becomes a hook, whose object is deleted"},
		"becomes skipped":          {wrap("v1", "ConfigMap", "data: {a: b}"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: ns, annotations: {argocd.argoproj.io/hook: Skip}}\ndata: {a: c}", "", ""},
		"namespace becomes a hook": {wrap("v1", "Namespace", ""), "apiVersion: v1\nkind: Namespace\nmetadata: {name: x, namespace: ns, annotations: {argocd.argoproj.io/hook: PreSync}}\n", deletion, "everything inside"},
		"namespace anew":           {wrap("v1", "Namespace", ""), "apiVersion: v1\nkind: Namespace\nmetadata: {name: x, namespace: ns, annotations: {argocd.argoproj.io/sync-options: 'Replace=true,Force=true'}}\n", deletion, "creates it anew; everything inside"},
		"namespace in place":       {wrap("v1", "Namespace", ""), "apiVersion: v1\nkind: Namespace\nmetadata: {name: x, namespace: ns, annotations: {argocd.argoproj.io/sync-options: Replace=true}}\n", "", ""},
		"suspended job":            {wrap("batch/v1", "Job", "spec: {suspend: true, template: {spec: {nodeSelector: {a: b}}}}"), wrap("batch/v1", "Job", "spec: {suspend: true, template: {spec: {nodeSelector: {a: c}}}}"), "", ""},
		"elastic job":              {wrap("batch/v1", "Job", "spec: {completionMode: Indexed, completions: 2, parallelism: 2}"), wrap("batch/v1", "Job", "spec: {completionMode: Indexed, completions: 3, parallelism: 3}"), "", ""},
		"completions":              {wrap("batch/v1", "Job", "spec: {completions: 2}"), wrap("batch/v1", "Job", "spec: {completions: 3}"), immutable, "spec.completions"},
		"claim grows":              {wrap("v1", "PersistentVolumeClaim", "spec: {resources: {requests: {storage: 1Gi}}}"), wrap("v1", "PersistentVolumeClaim", "spec: {resources: {requests: {storage: 2Gi}}}"), "", ""},
		"claim shrinks":            {wrap("v1", "PersistentVolumeClaim", "spec: {resources: {requests: {storage: 2Gi}}}"), wrap("v1", "PersistentVolumeClaim", "spec: {resources: {requests: {storage: 1Gi}}}"), immutable, "spec.resources.requests.storage"},
		"claim's class":            {wrap("v1", "PersistentVolumeClaim", "spec: {storageClassName: a}"), wrap("v1", "PersistentVolumeClaim", "spec: {storageClassName: b}"), immutable, "spec.storageClassName"},
		"volume's source":          {wrap("v1", "PersistentVolume", "spec: {nfs: {path: a}}"), wrap("v1", "PersistentVolume", "spec: {nfs: {path: b}}"), immutable, "spec.nfs"},
		"headless":                 {wrap("v1", "Service", "spec: {clusterIP: None}"), wrap("v1", "Service", "spec: {clusterIP: 10.0.0.1}"), immutable, "spec.clusterIP"},
		"address left out":         {wrap("v1", "Service", "spec: {clusterIP: 10.0.0.1}"), wrap("v1", "Service", "spec: {type: NodePort}"), "", ""},
		"to external name":         {wrap("v1", "Service", "spec: {clusterIP: 10.0.0.1}"), wrap("v1", "Service", "spec: {type: ExternalName, clusterIP: None}"), "", ""},
		"immutable config":         {wrap("v1", "ConfigMap", "immutable: true\ndata: {a: b}"), wrap("v1", "ConfigMap", "immutable: true\ndata: {a: c}"), immutable, "data cannot"},
		"becomes immutable":        {wrap("v1", "ConfigMap", "data: {a: b}"), wrap("v1", "ConfigMap", "immutable: true\ndata: {a: c}"), "", ""},
		"type of a Secret":         {wrap("v1", "Secret", "type: Opaque"), wrap("v1", "Secret", "type: kubernetes.io/tls"), immutable, "type cannot"},
		"role":                     {wrap("rbac.authorization.k8s.io/v1", "RoleBinding", "roleRef: {kind: Role, name: a}"), wrap("rbac.authorization.k8s.io/v1", "RoleBinding", "roleRef: {kind: Role, name: b}"), immutable, "roleRef"},
		"subjects":                 {wrap("rbac.authorization.k8s.io/v1", "RoleBinding", "subjects: [{kind: User, name: a}]"), wrap("rbac.authorization.k8s.io/v1", "RoleBinding", "subjects: [{kind: User, name: b}]"), "", ""},
		"storage class":            {wrap("storage.k8s.io/v1", "StorageClass", "provisioner: a"), wrap("storage.k8s.io/v1", "StorageClass", "provisioner: b\nreclaimPolicy: Delete"), immutable, "provisioner"},
		"priority":                 {wrap("scheduling.k8s.io/v1", "PriorityClass", "value: 1"), wrap("scheduling.k8s.io/v1", "PriorityClass", "value: 2"), immutable, "value cannot"},
		"lease":                    {wrap("coordination.k8s.io/v1", "Lease", "spec: {holderIdentity: a}"), wrap("coordination.k8s.io/v1", "Lease", "spec: {holderIdentity: b}"), "", ""},
		"namespace goes":           {wrap("v1", "Namespace", ""), "", deletion, "everything inside"},
		"claim goes":               {wrap("v1", "PersistentVolumeClaim", ""), "", deletion, "the claim goes"},
		"set with claims goes":     {wrap("apps/v1", "StatefulSet", "spec: {volumeClaimTemplates: [{metadata: {name: d}}]}"), "", deletion, "stay behind"},
		"set without claims":       {wrap("apps/v1", "StatefulSet", "spec: {replicas: 1}"), "", "", ""},
		"definition goes":          {crd("Namespaced", v1("type: object")), "", forecast.RiskCRDRemoved, "all objects"},
		"scope":                    {crd("Namespaced", v1("type: object")), crd("Cluster", v1("type: object")), changed, "from Namespaced to Cluster"},
		"version goes":             {crd("Cluster", v1("type: object")), crd("Cluster", "{name: v2}"), changed, "version v1 is removed"},
		"not served":               {crd("Cluster", v1("type: object")), crd("Cluster", "{name: v1, served: false}"), changed, "no longer served"},
		"field goes":               {crd("Cluster", v1("properties: {a: {type: string}}")), crd("Cluster", v1("properties: {b: {type: string}}")), changed, "spec.a is removed"},
		"type changes":             {crd("Cluster", v1("properties: {a: {type: string}}")), crd("Cluster", v1("properties: {a: {type: integer}}")), changed, "spec.a becomes integer, was string"},
		"required":                 {crd("Cluster", v1("required: [a]")), crd("Cluster", v1("required: [a, b]")), changed, "now requires b"},
		"enum narrowed":            {crd("Cluster", v1("properties: {a: {enum: [x, z]}}")), crd("Cluster", v1("properties: {a: {enum: [x]}}")), changed, "fewer values z"},
		"enum widened":             {crd("Cluster", v1("properties: {a: {enum: [x]}}")), crd("Cluster", v1("properties: {a: {enum: [x, z]}}")), "", ""},
		"pattern":                  {crd("Cluster", v1("properties: {a: {type: string}}")), crd("Cluster", v1("properties: {a: {type: string, pattern: ^a}}")), changed, "must match"},
		"limit in a list":          {crd("Cluster", v1("properties: {a: {items: {maxLength: 9}}}")), crd("Cluster", v1("properties: {a: {items: {maxLength: 8}}}")), changed, "spec.a[] has a lower maxLength: 8"},
		"description":              {crd("Cluster", v1("description: a")), crd("Cluster", v1("description: b")), "", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := Compare(manifests(t, c.before), manifests(t, c.after), Options{})
			if len(got.Objects) == 0 {
				t.Fatal("the objects count as equal")
			}
			if c.want == "" {
				if len(got.Risks) > 0 {
					t.Errorf("got %+v, want no risk", got.Risks)
				}
				return
			}
			if len(got.Risks) == 0 || got.Risks[0].Kind != c.kind || !strings.Contains(got.Risks[0].Message, c.want) {
				t.Errorf("got %+v, want %s: %q", got.Risks, c.kind, c.want)
			}
		})
	}
}
