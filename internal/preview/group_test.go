package preview_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// members of the groups of a forecast.
func members(f *forecast.Forecast) []string {
	out := []string{}
	for _, g := range f.Groups {
		var names []string
		for _, a := range g.Applications {
			names = append(names, a.Name)
		}
		out = append(out, strings.Join(names, " "))
	}
	return out
}

// binding gives a ClusterRole to a ServiceAccount.
func binding(role string) string {
	return "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: ops}\n" +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: " + role + "}\nsubjects: [{kind: ServiceAccount, name: ops, namespace: ops}]\n"
}

func TestApplicationsOfOneGroupChangeTheSame(t *testing.T) {
	two := func(one, other string) treetest.Files {
		return treetest.Files{one + ".yaml": application(one, one, "dev"), other + ".yaml": application(other, other, "dev")}
	}
	widget := func(field, value string) string {
		return "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n" + field + ": {key: " + value + "}\n"
	}
	cases := map[string]struct {
		reason        string
		before, after treetest.Files
		want          []string
	}{
		"RoleThatComes": {
			"cluster-admin is no name of the application admin",
			with(two("admin", "blog"), treetest.Files{"admin/x.yaml": configMap("x", "1"), "blog/x.yaml": configMap("x", "1")}),
			treetest.Files{"admin/rb.yaml": binding("cluster-admin"), "blog/rb.yaml": binding("cluster-blog")},
			[]string{"admin", "blog"},
		},
		"RoleThatChanges": {
			"a binding that gives another role",
			with(two("admin", "blog"), treetest.Files{"admin/rb.yaml": binding("view"), "blog/rb.yaml": binding("view")}),
			treetest.Files{"admin/rb.yaml": binding("admin"), "blog/rb.yaml": binding("blog")},
			[]string{"admin", "blog"},
		},
		"Key": {
			"a key of an object is no name",
			with(two("spec", "data"), treetest.Files{"spec/w.yaml": widget("spec", "1"), "data/w.yaml": widget("data", "1")}),
			treetest.Files{"spec/w.yaml": widget("spec", "2"), "data/w.yaml": widget("data", "2")},
			[]string{"data", "spec"},
		},
		"Image": {
			"an image is run, whoever it is named after",
			with(two("nginx", "blog"), treetest.Files{"nginx/p.yaml": pod("x:1"), "blog/p.yaml": pod("x:1")}),
			treetest.Files{"nginx/p.yaml": pod("nginx"), "blog/p.yaml": pod("blog")},
			[]string{"blog", "nginx"},
		},
		"Same": {
			"the name of the application stands for itself",
			with(two("shop", "blog"), treetest.Files{"shop/x.yaml": configMap("shop-config", "1"), "blog/x.yaml": configMap("blog-config", "1")}),
			treetest.Files{"shop/x.yaml": configMap("shop-config", "2"), "blog/x.yaml": configMap("blog-config", "2")},
			[]string{"blog shop"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := newCheckout(t, tc.before).change(tc.after).preview()
			if d := cmp.Diff(tc.want, members(f)); d != "" {
				t.Errorf("%s (-want +got):\n%s\n%s", tc.reason, d, strings.Join(told(f), "\n"))
			}
		})
	}
}

func pod(image string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: '" + image + "'}]}\n"
}

func TestRisksOfNoApplicationAreHidden(t *testing.T) {
	claim := func(label string) string {
		return "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: data\n  labels: {x: '" + label + "'}\n" +
			"  annotations: {argocd.argoproj.io/sync-options: Replace=true}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n"
	}
	forced := strings.Replace(application("b", "b", "dev"), "  destination:", "  syncPolicy: {syncOptions: [Force=true]}\n  destination:", 1)
	c := newCheckout(t, treetest.Files{"a.yaml": application("a", "a", "dev"), "b.yaml": forced, "a/claim.yaml": claim("1"), "b/claim.yaml": claim("1")})
	f := c.change(treetest.Files{"a/claim.yaml": claim("2"), "b/claim.yaml": claim("2")}).preview()
	if d := cmp.Diff([]string{"b", "a"}, members(f)); d != "" {
		t.Fatalf("only the claim of b is created anew (-want +got):\n%s", d)
	}
	if r := f.Groups[0].Risks; len(r) != 1 || r[0].Kind != forecast.RiskDeletion || len(f.Groups[1].Risks) != 0 {
		t.Errorf("the risks are %v and %v", r, f.Groups[1].Risks)
	}
}

// stamped is a chart whose objects are named by their release, and know their
// cluster.
const stamped = `apiVersion: v1
kind: ServiceAccount
metadata: {name: {{ .Release.Name }}, labels: {app.kubernetes.io/instance: {{ .Release.Name }}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: {{ .Release.Name }}-reader}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: {{ .Release.Name }}-reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {{ .Release.Name }}-reader}
subjects: [{kind: ServiceAccount, name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}]
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}-http}
spec: {selector: {app: {{ .Release.Name }}}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-config}
data:
  agent.yaml: |
    external_labels:
      cluster: {{ .Values.cluster }}
    level: {{ .Values.level }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: {{ .Release.Name }}}
spec:
  rules:
    - host: web.{{ .Values.cluster }}.example.com
      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: {{ .Release.Name }}-http, port: {number: 80}}}}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}, labels: {app.kubernetes.io/instance: {{ .Release.Name }}}}
spec:
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      serviceAccountName: {{ .Release.Name }}
      containers:
        - name: {{ .Release.Name }}
          image: example.com/web:{{ .Values.tag }}
          args: ["--cluster-name={{ .Values.cluster }}"]
          env: [{name: CLUSTER, value: {{ .Values.cluster }}}, {name: UPSTREAM, value: "http://{{ .Release.Name }}-http:80"}]
          envFrom: [{configMapRef: {name: {{ .Release.Name }}-config}}]
`

func TestOneSetOnManyClustersIsOneGroup(t *testing.T) {
	set := strings.Replace(setOf("web", `web: "on"`), `values: 'region: "{{metadata.annotations.region}}"'`, `values: 'cluster: "{{name}}"'`, 1)
	c := newCheckout(t, treetest.Files{
		"charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "charts/web/templates/all.yaml": stamped,
		"values/all.yaml": "tag: \"1\"\nlevel: info\n",
	})
	names := []string{"hub"}
	for i := range 3 {
		names = append(names, fmt.Sprintf("prod-%d/web=on,env=prod,@region=eu", i))
	}
	c.roster = clusters(names...)
	steps := []struct {
		reason string
		edit   treetest.Files
		change forecast.Change
	}{
		{"it comes", treetest.Files{"set.yaml": set}, forecast.Added},
		{"its image and a text with the cluster's name change", treetest.Files{"values/all.yaml": "tag: \"2\"\nlevel: debug\n"}, forecast.Changed},
		{"it goes", treetest.Files{"set.yaml": ""}, forecast.Removed},
	}
	for _, s := range steps {
		f := c.change(s.edit).preview()
		if d := cmp.Diff([]string{"web-prod-0 web-prod-1 web-prod-2"}, members(f)); d != "" || f.Groups[0].Change != s.change || len(f.Groups[0].Objects) < 2 {
			t.Errorf("%s (-want +got):\n%s\n%s", s.reason, d, strings.Join(told(f), "\n"))
		}
	}
}
