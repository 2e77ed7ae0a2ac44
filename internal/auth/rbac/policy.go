package rbac

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/cache"
)

// ConfigMap is the name of the ConfigMap whose data Load reads.
const ConfigMap = "argocd-rbac-cm"

// The keys of the ConfigMap that have a meaning, beside policy.*.csv.
const (
	keyPolicy    = "policy.csv"
	keyDefault   = "policy.default"
	keyMatchMode = "policy.matchMode"
	keyScopes    = "scopes"
)

const (
	// maxScopes is how long the list of scopes is at most, in bytes.
	maxScopes = 4096
	// keptProjects and keptSubjects are how many bytes are kept of what was worked out of projects, and of who asks.
	keptProjects = 64 << 20
	keptSubjects = 32 << 20
)

// Policy is what argocd-rbac-cm and the built-in roles say.
type Policy struct {
	// everyone is the policy for requests that are about no project.
	everyone *scope
	// defaultRole is what everybody has but a Named one; nothing when empty.
	defaultRole string
	// scopes are the claims that hold groups.
	scopes   []string
	mode     mode
	warnings []string

	projects *cache.LRU[projectKey, *scope]
	subjects *cache.LRU[subjectKey, []question]
}

// Load reads the data of argocd-rbac-cm: policy.csv and policy.*.csv, policy.default, policy.matchMode ("regex", or
// globs for anything else), scopes (a list in YAML; groups if there is none). Data that is nil is that of a ConfigMap
// that does not exist: the built-in roles are there all the same.
//
// An error names the key, the line and what to mend. A line of the wrong form refuses all of it.
func Load(data map[string]string) (*Policy, error) {
	scopes, err := readScopes(data[keyScopes])
	if err != nil {
		return nil, fmt.Errorf("cannot read %s of %s: %w", keyScopes, ConfigMap, err)
	}
	p := &Policy{
		defaultRole: data[keyDefault],
		scopes:      scopes,
		mode:        globs,
		projects:    cache.New[projectKey, *scope](keptProjects),
		subjects:    cache.New[subjectKey, []question](keptSubjects),
	}
	if data[keyMatchMode] == "regex" {
		p.mode = expressions
	}
	r := newReader(p.mode)
	if err := r.text("the built-in policy", builtin()); err != nil {
		return nil, err
	}
	if len(r.warnings) > 0 {
		r.warnings = []string{"role:readonly and role:admin allow next to nothing, as their patterns * and */* are no regular expressions: give rights by lines of your own"}
	}
	for _, key := range policyKeys(data) {
		if err := r.text(key, data[key]); err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", ConfigMap, err)
		}
	}
	p.everyone, p.warnings = r.scope, r.warnings
	return p, nil
}

// Warnings are what is probably not meant as it was written: an effect that is neither allow nor deny, a pattern that
// cannot be read, one that Argo CD matches otherwise. Argo CD accepts them without a word.
func (p *Policy) Warnings() []string { return slices.Clone(p.warnings) }

// Scopes are the claims that hold groups.
func (p *Policy) Scopes() []string { return slices.Clone(p.scopes) }

// policyKeys are the keys that hold policy, policy.csv first.
func policyKeys(data map[string]string) []string {
	keys := []string{keyPolicy}
	for key := range data {
		if key != keyPolicy && strings.HasPrefix(key, "policy.") && strings.HasSuffix(key, ".csv") {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys[1:])
	return keys
}

func readScopes(text string) ([]string, error) {
	if len(text) > maxScopes {
		return nil, fmt.Errorf("it has %d bytes, and may have %d", len(text), maxScopes)
	}
	var scopes []string
	if err := yaml.Unmarshal([]byte(text), &scopes); err != nil {
		return nil, fmt.Errorf("it is no list such as [groups, email]: %w", err)
	}
	if scopes == nil {
		return []string{"groups"}, nil
	}
	return scopes, nil
}
