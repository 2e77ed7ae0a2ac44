package hub

import (
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/source"
)

// Credentials keeps the repository Secrets by name, and tells the sources of
// all of them whenever one changes.
type Credentials struct {
	sources *source.Credentials

	mu      sync.Mutex
	secrets map[types.NamespacedName]source.Repository
}

func NewCredentials(s *source.Credentials) *Credentials {
	return &Credentials{sources: s, secrets: map[types.NamespacedName]source.Repository{}}
}

func (c *Credentials) Put(name types.NamespacedName, secret *corev1.Secret) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if secret == nil {
		delete(c.secrets, name)
	} else {
		parsed, err := source.ParseRepository(secret)
		if err != nil {
			delete(c.secrets, name) // what it said before holds no longer, either
			c.replace()
			return err
		}
		c.secrets[name] = parsed
	}
	c.replace()
	return nil
}

func (c *Credentials) replace() {
	all := make([]source.Repository, 0, len(c.secrets))
	for _, r := range c.secrets {
		all = append(all, r)
	}
	c.sources.Replace(all)
}

// Of lists the repositories that belong to a project.
func (c *Credentials) Of(project string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, r := range c.secrets {
		if !r.Template && r.Project == project {
			out = append(out, r.URL)
		}
	}
	slices.Sort(out)
	return out
}
