package preview_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// clusterStore is a ClusterSecretStore with a value that nothing may show.
func clusterStore(name, more string) string {
	return "apiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nmetadata: {name: " + name + more + "}\nspec:\n  provider: {fake: {data: [{key: k, value: planted-value}]}}\n"
}

// externalSecret is an ExternalSecret of such a store, whose only value is named a.
func externalSecret(name, store, template string) string {
	return "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: " + name + "}\nspec:\n  secretStoreRef: {kind: ClusterSecretStore, name: " + store +
		"}\n  target: {template: {data: {t: '" + template + "'}}}\n  data: [{secretKey: a, remoteRef: {key: k}}]\n"
}

// onEach declares an ApplicationSet that brings a folder to each cluster, into the namespace shop.
func onEach(name, folder string) string {
	return "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: " + name + ", namespace: argocd}\nspec:\n  generators: [{clusters: {}}]\n  template:\n    metadata: {name: '" + name +
		"-{{name}}'}\n    spec: {project: default, source: {repoURL: " + repoURL + ", path: " + folder + "}, destination: {name: '{{name}}', namespace: shop}}\n"
}

func TestLintKnowsExternalSecrets(t *testing.T) {
	files := func(more treetest.Files) treetest.Files {
		return with(treetest.Files{
			"stores.yaml": application("stores", "stores", "dev"), "stores/store.yaml": clusterStore("vault", ""),
			"shop.yaml": application("shop", "shop", "dev"), "shop/es.yaml": externalSecret("db", "vault", "{{ .a }}"),
		}, more)
	}
	for name, tc := range map[string]struct {
		reason string
		files  treetest.Files
		want   []string
		says   string
	}{
		"good":     {"what one application uses, another one makes", files(nil), []string{}, ""},
		"misspelt": {"a store that no application of the cluster makes", files(treetest.Files{"shop/es.yaml": externalSecret("db", "vualt", "{{ .a }}")}), []string{"UnknownStore shop/es.yaml:1 on dev"}, "makes; of this kind they make ClusterSecretStore vault"},
		"other cluster": {
			"the store is on another cluster", files(treetest.Files{
				"stores.yaml": application("stores", "stores", "hub"), "more.yaml": application("more", "more", "dev"), "more/store.yaml": clusterStore("aws", ""),
			}), []string{"UnknownStore shop/es.yaml:1 on dev"}, "makes; of this kind they make ClusterSecretStore aws",
		},
		"unknown": {
			"an application that cannot be rendered may make it", files(treetest.Files{
				"shop/es.yaml": externalSecret("db", "vualt", "{{ .a }}"), "broken.yaml": application("broken", "nowhere", "dev"),
			}), []string{}, "",
		},
		"template": {"a key that nothing gives", files(treetest.Files{"shop/es.yaml": externalSecret("db", "vault", "{{ .b }}")}), []string{"UnknownTemplateKey shop/es.yaml:1 on dev"}, "looks up .b, and no secretKey of data gives that; there are a"},
		"clusters": {
			"one finding for all clusters, whatever their applications are called", treetest.Files{
				"es.yaml": onEach("uses", "shop"), "shop/es.yaml": externalSecret("db", "vault", "{{ .a }}"),
				"secret.yaml": onEach("makes", "plain"), "plain/secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {p: planted-value}\n",
			}, []string{"SecretMadeTwice shop/es.yaml:1 on dev, hub"}, "and Application argocd/makes-dev makes it as well",
		},
		"waves": {
			"the store comes after what waits for it", files(treetest.Files{"shop/store.yaml": clusterStore("late", ", annotations: {argocd.argoproj.io/sync-wave: '2'}"), "shop/es.yaml": externalSecret("db", "late", "{{ .a }}")}),
			[]string{"StoreInLaterWave shop/es.yaml:1 on dev"}, "is in wave 0, and ClusterSecretStore late in wave 2",
		},
		"phases": {
			"a hook of several phases makes the store with the first of them", files(treetest.Files{
				"shop/store.yaml": clusterStore("early", ", annotations: {argocd.argoproj.io/hook: 'Sync,PreSync'}"),
				"shop/es.yaml":    externalSecret("db, annotations: {argocd.argoproj.io/hook: PreSync}", "early", "{{ .a }}"),
			}), []string{}, "",
		},
		"later phase": {
			"and none that runs before what waits for it", files(treetest.Files{
				"shop/store.yaml": clusterStore("late", ", annotations: {argocd.argoproj.io/hook: 'PostSync,Sync'}"),
				"shop/es.yaml":    externalSecret("db, annotations: {argocd.argoproj.io/hook: PreSync}", "late", "{{ .a }}"),
			}), []string{"StoreInLaterWave shop/es.yaml:1 on dev"}, "a hook that runs before ClusterSecretStore late is there",
		},
		"namespace": {
			"labels that an application gives its namespace", files(treetest.Files{
				"stores/store.yaml": clusterStore("vault", "") + "  conditions: [{namespaceSelector: {matchLabels: {team: a}}}]\n",
				"shop.yaml":         application("shop", "shop", "dev") + "  syncPolicy: {syncOptions: [CreateNamespace=true], managedNamespaceMetadata: {labels: {team: b}}}\n",
			}), []string{"StoreNotPermitted shop/es.yaml:1 on dev"}, "do not admit the namespace shop",
		},
	} {
		t.Run(name, func(t *testing.T) {
			report := newCheckout(t, tc.files).lint()
			var own []forecast.Finding
			for _, f := range report.Warnings {
				if strings.HasSuffix(f.File, "es.yaml") {
					own = append(own, f)
				}
			}
			if diff := cmp.Diff(tc.want, findings(own)); diff != "" {
				t.Errorf("%s (-want +got):\n%s\n%s", tc.reason, diff, messages(report.Failures))
			}
			if text := messages(report.Warnings); !strings.Contains(text, tc.says) || strings.Contains(text, "planted-value") {
				t.Errorf("%s: it says\n%s", tc.reason, text)
			}
		})
	}
}

// TestPreviewTellsWhoLosesAStore: the application that uses it is not touched, and not rendered for its own sake.
func TestPreviewTellsWhoLosesAStore(t *testing.T) {
	c := newCheckout(t, treetest.Files{
		"stores.yaml": application("stores", "stores", "dev"), "stores/a.yaml": clusterStore("vault", ""), "stores/b.yaml": clusterStore("aws", ""),
		"shop.yaml": application("shop", "shop", "dev"), "shop/es.yaml": externalSecret("db", "vault", "{{ .a }}"),
		"old.yaml": application("old", "old", "dev"), "old/es.yaml": externalSecret("old", "never", "{{ .a }}"),
		"plain.yaml": application("plain", "plain", "dev"), "plain/cm.yaml": configMap("a", "1"),
	})
	f := c.change(treetest.Files{"stores/a.yaml": ""}).preview()
	if diff := cmp.Diff([]string{"UnknownStore shop/es.yaml:1 on dev", "UnknownStore old/es.yaml:1 on dev"}, findings(f.Warnings)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(f.Warnings) == 2 && (!f.Warnings[0].New || f.Warnings[1].New) {
		t.Errorf("what was there before is not new: %+v", f.Warnings)
	}
	if text := asJSON(t, f); strings.Contains(text, "planted-value") {
		t.Errorf("a value is shown: %s", text)
	}
	f = c.change(treetest.Files{"plain/cm.yaml": configMap("a", "2")}).preview()
	if len(f.Warnings) > 0 || f.Summary.Rendered+f.Summary.Reused > 2 {
		t.Errorf("a change that does not concern these kinds has nothing else rendered: %+v, %s", f.Summary, messages(f.Warnings))
	}
}
