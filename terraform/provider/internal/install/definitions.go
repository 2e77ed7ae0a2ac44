package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// digest tells one set of definitions from another.
func digest(all []*unstructured.Unstructured) (string, error) {
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(all); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

// define installs the definitions. Those that somebody else installed, such as
// Argo CD, are kept as they are.
func define(ctx context.Context, hub *object.Client, all []*unstructured.Unstructured) error {
	for _, d := range all {
		live, err := hub.Read(ctx, d)
		if err != nil {
			return err
		}
		if live != nil && !object.Owns(live, "spec", "names") {
			continue
		}
		if _, err := hub.Apply(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// lacking names the definitions that the cluster does not have.
func lacking(ctx context.Context, hub *object.Client, all []*unstructured.Unstructured) (string, error) {
	var names []string
	for _, d := range all {
		live, err := hub.Read(ctx, d)
		if err != nil {
			return "", err
		}
		if live == nil {
			names = append(names, d.GetName())
		}
	}
	return strings.Join(names, ", "), nil
}
