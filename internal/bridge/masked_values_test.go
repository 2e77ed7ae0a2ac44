package bridge

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// TestShownHidesWhatStoresHold: a short value is known by nothing but its place.
func TestShownHidesWhatStoresHold(t *testing.T) {
	store := gitops.Key{Group: "external-secrets.io", Kind: "SecretStore", Namespace: "shop", Name: "s"}
	for name, tc := range map[string]struct {
		reason string
		key    gitops.Key
		path   string
		want   any
	}{
		"value":  {"a value of the provider fake", store, "spec.provider.fake.data[key=k].value", redacted},
		"header": {"a header of a webhook", store, `spec.provider.webhook.headers["X-Key"]`, redacted},
		"key":    {"the name of a value", store, "spec.provider.fake.data[key=k].key", "x"},
		"other":  {"another kind", gitops.Key{Kind: "ConfigMap"}, "data.value", "x"},
		"secret": {"a Secret", gitops.Key{Kind: "Secret"}, "data.value", redacted},
	} {
		if got := shown(tc.key, tc.path, "x", redact.Known{}); got != tc.want {
			t.Errorf("%s: %s: it shows %v", name, tc.reason, got)
		}
	}
}
