package examples

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestApplicationsOfEachCluster(t *testing.T) {
	f := example(t)
	got := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(f.apps)) {
		to := f.apps[name].Spec.Destination.Name
		got[to] = append(got[to], name)
	}
	want := map[string][]string{
		"hub": {
			"addon-hub-cert-manager", "addon-hub-metrics-server", "addons", "baseline-hub", "clusters",
			"platform-dev", "platform-hub", "platform-hub-external-secrets", "platform-hub-ingress-nginx",
			"platform-hub-kube-prometheus-stack", "platform-prod", "platform-staging", "workloads",
		},
		"dev": {
			"addon-dev-cert-manager", "addon-dev-fluent-bit", "addon-dev-guardrails", "addon-dev-metrics-server", "addon-dev-reloader",
			"baseline-dev",
			"platform-dev-external-dns", "platform-dev-external-secrets", "platform-dev-ingress-nginx", "platform-dev-kube-prometheus-stack",
			"workload-dev-payments-api", "workload-dev-payments-ledger", "workload-dev-storefront-web",
		},
		"staging": {
			"addon-staging-cert-manager", "addon-staging-cluster-autoscaler", "addon-staging-fluent-bit", "addon-staging-guardrails",
			"addon-staging-metrics-server", "addon-staging-reloader", "addon-staging-velero",
			"baseline-staging",
			"platform-staging-efs-csi-driver", "platform-staging-external-dns", "platform-staging-external-secrets",
			"platform-staging-ingress-nginx", "platform-staging-kube-prometheus-stack",
			"workload-staging-payments-api", "workload-staging-payments-ledger", "workload-staging-storefront-web",
		},
		"prod": {
			"addon-prod-cert-manager", "addon-prod-cluster-autoscaler", "addon-prod-fluent-bit", "addon-prod-guardrails",
			"addon-prod-metrics-server", "addon-prod-opencost", "addon-prod-reloader", "addon-prod-velero",
			"baseline-prod",
			"platform-prod-efs-csi-driver", "platform-prod-external-dns", "platform-prod-external-secrets",
			"platform-prod-ingress-nginx", "platform-prod-kube-prometheus-stack",
			"workload-prod-payments-api", "workload-prod-payments-ledger", "workload-prod-storefront-web",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("applications by cluster (-want +got):\n%s", diff)
	}
}

func TestNothingIsLeftOpen(t *testing.T) {
	f := example(t)
	for _, w := range f.warnings {
		if w.Reason == gitops.MissingValueFile {
			continue // layers that some environments and clusters have
		}
		t.Errorf("warning %s: %s (%s)", w.Reason, w.Message, w.Origin)
	}
	for name, app := range f.apps {
		text, err := json.Marshal(app)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "{{") {
			t.Errorf("application %s holds a template that was not replaced: %s", name, text)
		}
		if len(f.made[name]) == 0 {
			t.Errorf("application %s renders nothing", name)
		}
	}
}

func TestValueLayers(t *testing.T) {
	f := example(t)
	config := []string{"data", "config.yaml"}
	body := []string{"data", "proxy-body-size"}
	role := []string{"metadata", "annotations", "eks.amazonaws.com/role-arn"}
	args := []string{"spec", "template", "spec", "containers", "0", "args"}
	image := []string{"spec", "template", "spec", "containers", "0", "image"}
	cases := map[string]struct {
		reason, app, object string
		path                []string
		want                string
	}{
		"Default":             {"a default where nothing overrides it", "addon-staging-reloader", "ConfigMap/reloader", config, "logLevel: info"},
		"Environment":         {"an environment overrides the default", "addon-dev-reloader", "ConfigMap/reloader", config, "logLevel: debug"},
		"EnvironmentReplicas": {"environments differ in size", "addon-prod-reloader", "Deployment/reloader", []string{"spec", "replicas"}, "2"},
		"Cluster":             {"a cluster overrides its environment", "addon-prod-reloader", "ConfigMap/reloader", config, `["kube-system","payments"]`},
		"ClusterOverDefault":  {"a cluster overrides the default", "platform-prod-ingress-nginx", "ConfigMap/ingress-nginx", body, "64m"},
		"PlatformDefault":     {"the platform's charts have the same layers", "platform-dev-ingress-nginx", "ConfigMap/ingress-nginx", body, "16m"},
		"Secret":              {"a value out of the Secret", "addon-prod-fluent-bit", "ConfigMap/fluent-bit", []string{"data", "fluent-bit.conf"}, "log_group_name /clusters/prod"},
		"SecretRole":          {"another, for a service account", "addon-staging-cluster-autoscaler", "ServiceAccount/cluster-autoscaler", role, "arn:aws:iam::333333333333:role/staging-cluster-autoscaler"},
		"SecretAppOfApps":     {"and through the app-of-apps", "platform-dev-external-dns", "ServiceAccount/external-dns", role, "arn:aws:iam::222222222222:role/dev-external-dns"},
		"SecretGoTemplate":    {"a quoted number stays a text", "addon-prod-opencost", "Deployment/opencost", args, "--account=444444444444 --region=eu-west-1 --retention=90d"},
		"Baseline":            {"a Kustomize patch out of the Secret", "baseline-prod", "ConfigMap/cluster-info", []string{"data", "account"}, "444444444444"},
		"Overlay":             {"an overlay's image", "workload-dev-payments-api", "Deployment/payments-api", image, "registry.example.com/payments/api:1.9.0-rc.2"},
		"OverlayProd":         {"an overlay's number of replicas", "workload-prod-payments-api", "Deployment/payments-api", []string{"spec", "replicas"}, "3"},
		"Range":               {"dev follows a version range", "addon-dev-metrics-server", "Deployment/metrics-server", image, ":0.8.0"},
		"Behind":              {"prod is a version behind", "addon-prod-guardrails", "Deployment/guardrails", image, ":0.3.0"},
		"PlatformBehind":      {"also in the platform", "platform-prod-ingress-nginx", "Deployment/ingress-nginx", image, ":1.12.1"},
		"Subchart":            {"a subchart is switched on for one cluster, with a global value", "platform-hub-kube-prometheus-stack", "ConfigMap/grafana", []string{"data", "grafana.ini"}, "default_theme = dark"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := f.object(c.app, c.object)
			if o == nil {
				t.Fatalf("%s: %s has no %s", c.reason, c.app, c.object)
			}
			if got := at(o.Object, c.path); !strings.Contains(got, c.want) {
				t.Errorf("%s: %s of %s is %q, want it to contain %q", c.reason, strings.Join(c.path, "."), c.object, got, c.want)
			}
		})
	}
}

func TestObjectsThatMustNotBeThere(t *testing.T) {
	f := example(t)
	cases := map[string]struct{ reason, app, object string }{
		"OlderChart":   {"the cainjector is new in 1.1.0, prod has 1.0.0", "addon-prod-cert-manager", "Deployment/cert-manager-cainjector"},
		"Subchart":     {"Grafana is on the hub alone", "platform-prod-kube-prometheus-stack", "Deployment/grafana"},
		"OneReplica":   {"a disruption budget of one replica would block every drain", "addon-dev-reloader", "PodDisruptionBudget/reloader"},
		"Parked":       {"exclude/ is left out", "addons", "ApplicationSet/addons-descheduler"},
		"OtherCluster": {"a rule on trial on staging alone", "addon-dev-guardrails", "Guardrail/two-replicas"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if f.object(c.app, c.object) != nil {
				t.Errorf("%s: %s has %s", c.reason, c.app, c.object)
			}
		})
	}
}

func TestReplicasBelongToTheAutoscaler(t *testing.T) {
	f := example(t)
	for app, object := range map[string]string{
		"platform-prod-ingress-nginx":  "Deployment/ingress-nginx",
		"workload-prod-storefront-web": "Deployment/web",
	} {
		if got := at(f.object(app, object).Object, []string{"spec", "replicas"}); got != "" {
			t.Errorf("%s: spec.replicas of %s is %s: sync and autoscaler would undo one another", app, object, got)
		}
	}
}

func TestWavesOfThePlatform(t *testing.T) {
	f := example(t)
	want := map[string]string{"external-dns": "-2", "external-secrets": "-2", "ingress-nginx": "-1", "kube-prometheus-stack": "0", "efs-csi-driver": "0"}
	got := map[string]string{}
	for _, o := range f.made["platform-prod"] {
		got[o.GetLabels()["addon"]] = o.GetAnnotations()["argocd.argoproj.io/sync-wave"]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("waves on prod (-want +got):\n%s", diff)
	}
}

// object finds a manifest by "Kind/name".
func (f *fleet) object(app, object string) *unstructured.Unstructured {
	for _, o := range f.made[app] {
		if o.GetKind()+"/"+o.GetName() == object {
			return o
		}
	}
	return nil
}

// at prints the value at a path; numbers are indexes of lists, and a list of
// texts is joined by spaces. Empty when there is nothing.
func at(value any, path []string) string {
	for _, key := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(v) {
				return ""
			}
			value = v[i]
		default:
			return ""
		}
	}
	switch v := value.(type) {
	case nil:
		return ""
	case []any:
		return strings.Trim(fmt.Sprint(v), "[]")
	default:
		return fmt.Sprint(v)
	}
}
