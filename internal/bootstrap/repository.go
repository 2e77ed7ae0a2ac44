package bootstrap

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// Repository is the fleet's Git repository.
type Repository struct {
	Namespace, URL string
	// Keys are what opens it, by the keys of a repository Secret: username,
	// password, sshPrivateKey, bearerToken and their like.
	Keys map[string]access.Secret
}

// Check refuses an address that is none, or that carries what may be a secret: it would
// stand in annotations, which many may read.
func (r Repository) Check() error {
	if _, err := address.Parse(r.URL); err != nil {
		return gitops.Problemf(gitops.Invalid, "cannot use the repository: %w", err).Do("write its address as in https://git.example.com/team/fleet")
	}
	if gitops.PublicAddress(r.URL) != r.URL {
		return gitops.Problemf(gitops.Invalid, "the address of the repository has a user, a password or a query in it, which may be a secret").
			Do("leave it out, and give it with --repo-username and --repo-password-file")
	}
	_, err := access.ParseRepository(r.typed(nil))
	return err
}

// Find is the Secret that describes the repository already; nil where none does. Addresses
// are compared as the engine compares them that looks for what opens a repository.
func (r Repository) Find(all []corev1.Secret) *corev1.Secret {
	at, err := address.Parse(r.URL)
	if err != nil {
		return nil
	}
	for i := range all {
		known, err := access.ParseRepository(&all[i])
		if err != nil || known.Template || known.Project != "" {
			continue
		}
		if other, err := address.Parse(known.URL); err == nil && other.Canonical() == at.Canonical() {
			return &all[i]
		}
	}
	return nil
}

// Secret is what is written of the repository's Secret; nil where one is there
// and nothing is asked of it. Keys of the live one stay.
func (r Repository) Secret(live *corev1.Secret) *unstructured.Unstructured {
	if live != nil && len(r.Keys) == 0 {
		return nil
	}
	s := r.typed(live)
	return secret(s.Namespace, s.Name, s.Labels, s.Annotations, s.Data)
}

// In is the list of Secrets as the engine will see it, the repository's included.
func (r Repository) In(all []corev1.Secret) []corev1.Secret {
	known := r.Find(all)
	if known == nil {
		return append(slices.Clone(all), *r.After(nil))
	}
	out := slices.Clone(all)
	for i := range all {
		if &all[i] == known {
			out[i] = *r.After(known)
		}
	}
	return out
}

// After is the repository's Secret as the engine will see it.
func (r Repository) After(live *corev1.Secret) *corev1.Secret {
	out := r.typed(live)
	if live == nil {
		return out
	}
	data := maps.Clone(live.Data)
	maps.Copy(data, out.Data)
	out.Data = data
	return out
}

func (r Repository) typed(live *corev1.Secret) *corev1.Secret {
	name := r.name()
	if live == nil {
		live = &corev1.Secret{}
	} else {
		name = live.Name
	}
	asked := map[string][]byte{}
	for key, value := range r.Keys {
		asked[key] = []byte(value.Reveal())
	}
	entries := live.ManagedFields
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: r.Namespace, Name: name,
			Labels:      merged(live.Labels, ours(entries, "f:metadata", "f:labels"), map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepository}, nil),
			Annotations: merged(live.Annotations, ours(entries, "f:metadata", "f:annotations"), nil, nil),
		},
		Data: merged(live.Data, ours(entries, "f:data"), asked, map[string][]byte{"type": []byte("git"), "url": []byte(r.URL)}),
	}
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// name tells a person which repository the Secret is about, and two
// repositories apart.
func (r Repository) name() string {
	sum := sha256.Sum256([]byte(r.URL))
	slug := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(address.Name(r.URL)), "-"), "-")
	return fmt.Sprintf("repo-%s-%s", slug[:min(len(slug), 40)], hex.EncodeToString(sum[:4]))
}
