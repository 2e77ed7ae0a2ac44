package secrets

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Where says which part of a fleet is asked.
type Where struct {
	// Cluster by its name; all when it is empty.
	Cluster string
	// Namespace of ExternalSecrets; all when it is empty.
	Namespace string
}

// Register adds the flags that say so.
func (w *Where) Register(f *pflag.FlagSet, shorthand string) {
	f.StringVar(&w.Cluster, "cluster", "", "Secrets: only those in this cluster")
	f.StringVarP(&w.Namespace, "secret-namespace", shorthand, "", "Secrets: only those in this namespace")
}

// Of is where a NAME or NAMESPACE/NAME is looked for, and the name alone.
func (w *Where) Of(text string) (Where, string, error) {
	namespace, name, ok := strings.Cut(text, "/")
	if !ok {
		namespace, name = w.Namespace, text
	}
	switch {
	case ok && (namespace == "" || name == "" || strings.Contains(name, "/")):
		return *w, "", command.Usagef("%q is no name of a Secret: write NAME, or NAMESPACE/NAME", text)
	case ok && w.Namespace != "" && w.Namespace != namespace:
		return *w, "", command.Usagef("%s and --secret-namespace %s are two namespaces: leave one of them out", text, w.Namespace)
	}
	return Where{Cluster: w.Cluster, Namespace: namespace}, name, nil
}

// Found is what was found, sorted, and what could not be: a text for each cluster that did not answer, or not all.
type Found struct {
	Secrets  []Secret
	Warnings []string
	// Known are names like one that was not found.
	Known []string
	// Asked and Answered count clusters.
	Asked, Answered int
}

const (
	// patience is how long a list waits for a cluster.
	patience = 20 * time.Second
	// together is how many clusters are asked at a time.
	together = 16
)

// List tells of what all ExternalSecrets make.
func List(ctx context.Context, h *target.Hub, w Where) (*Found, error) {
	return ask(ctx, h, w, func(ctx context.Context, r *reader) (*Found, error) {
		external, err := r.external(ctx, w.Namespace)
		if err != nil || len(external) == 0 {
			return &Found{}, err
		}
		c, warnings := r.content(ctx, w.Namespace, external)
		return &Found{Secrets: c.all(), Warnings: warnings}, nil
	})
}

// Named tells of the Secrets of a name, also of those that no ExternalSecret makes. It is the ExternalSecret's name
// where no Secret has it.
func Named(ctx context.Context, h *target.Hub, w Where, name string) (*Found, error) {
	return ask(ctx, h, w, func(ctx context.Context, r *reader) (*Found, error) {
		external, err := r.external(ctx, w.Namespace)
		if err != nil {
			return nil, err
		}
		there, err := r.metadata(ctx, client.InNamespace(w.Namespace), client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector(metav1.ObjectNameField, name)})
		if err != nil {
			return nil, fmt.Errorf("cannot look for the Secret: %w", err)
		}
		places := namespaces(external, there, name)
		if len(places) == 0 {
			return &Found{Known: r.known(ctx, w.Namespace, external)}, nil
		}
		if len(places) > 1 { // one of them has to be named: nothing else is asked
			out := &Found{}
			for _, namespace := range places {
				out.Secrets = append(out.Secrets, Secret{Cluster: r.cluster, Namespace: namespace, Kind: secretKind, Name: name})
			}
			return out, nil
		}
		c, warnings := r.content(ctx, places[0], slices.DeleteFunc(external, func(e esv1.ExternalSecret) bool { return e.Namespace != places[0] }))
		for i := range there { // they are known, whatever could not be listed since
			c.secrets[client.ObjectKeyFromObject(&there[i])] = &there[i]
		}
		return &Found{Secrets: c.named(name, there), Warnings: warnings}, nil
	})
}

// namespaces are those in which a name means something: a Secret, or else an ExternalSecret.
func namespaces(external []esv1.ExternalSecret, there []metav1.PartialObjectMetadata, name string) []string {
	var made, makers []string
	for i := range there {
		made = append(made, there[i].Namespace)
	}
	for i := range external {
		switch e := &external[i]; name {
		case e.SecretName():
			made = append(made, e.Namespace)
		case e.Name:
			makers = append(makers, e.Namespace)
		}
	}
	if len(made) == 0 {
		made = makers
	}
	slices.Sort(made)
	return slices.Compact(made)
}

// known are names that might have been meant.
func (r *reader) known(ctx context.Context, namespace string, external []esv1.ExternalSecret) []string {
	var out []string
	for i := range external {
		out = append(out, external[i].SecretName(), external[i].Name)
	}
	all, _ := r.metadata(ctx, client.InNamespace(namespace)) // only for the suggestion
	for i := range all {
		out = append(out, all[i].Name)
	}
	return out
}

// named are the Secrets of a name, of the one namespace that was read.
func (c *content) named(name string, there []metav1.PartialObjectMetadata) []Secret {
	var made, makers []Secret
	for _, s := range c.all() {
		switch {
		case s.Kind == secretKind && s.Name == name:
			made = append(made, s)
		case s.ExternalSecret == name, s.Name == name:
			makers = append(makers, s)
		}
	}
	if len(made) == 0 && len(there) > 0 {
		return []Secret{c.foreign(&there[0])}
	}
	if len(made) == 0 {
		return makers
	}
	return made
}

// Names are those of ExternalSecrets, for completion.
func Names(ctx context.Context, h *target.Hub) ([]string, error) {
	found, err := ask(ctx, h, Where{}, func(ctx context.Context, r *reader) (*Found, error) {
		external, err := r.external(ctx, "")
		out := &Found{}
		for i := range external {
			out.Known = append(out.Known, external[i].SecretName())
		}
		return out, err
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(found.Known)
	return slices.Compact(found.Known), nil
}

// ask asks the clusters of the fleet at the same time.
func ask(ctx context.Context, h *target.Hub, w Where, one func(context.Context, *reader) (*Found, error)) (*Found, error) {
	spokes, err := clusters(ctx, h, w.Cluster)
	if err != nil {
		return nil, err
	}
	answers := make([]*Found, len(spokes))
	group := &crew.Group{}
	group.SetLimit(together)
	for i := range spokes {
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			found, err := answer(ctx, &spokes[i], h.Namespace, one)
			if err != nil {
				found = &Found{Warnings: []string{fmt.Sprintf("cluster %s is left out: %v", spokes[i].Name, err)}}
			} else {
				found.Answered = 1
			}
			answers[i] = found
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := &Found{Asked: len(spokes)}
	for _, a := range answers {
		all.Secrets, all.Warnings, all.Known = append(all.Secrets, a.Secrets...), append(all.Warnings, a.Warnings...), append(all.Known, a.Known...)
		all.Answered += a.Answered
	}
	slices.SortStableFunc(all.Secrets, byNeed)
	return all, nil
}

func answer(ctx context.Context, s *target.Spoke, control string, one func(context.Context, *reader) (*Found, error)) (*Found, error) {
	if s.Problem != nil {
		return nil, s.Problem
	}
	r, err := newReader(s.Config, s.Name, control)
	if err != nil {
		return nil, err
	}
	return one(ctx, r)
}

// clusters are those of the fleet that are asked. Of several Secrets that describe one server the first is.
func clusters(ctx context.Context, h *target.Hub, name string) ([]target.Spoke, error) {
	all, err := h.Spokes(ctx)
	if err != nil {
		return nil, h.Explain(err)
	}
	sorted, _ := target.Ranked(all)
	slices.SortStableFunc(sorted, func(a, b target.Spoke) int { return strings.Compare(a.Source, b.Source) }) // what somebody described counts first
	var known []string
	seen := map[string]bool{}
	out := slices.DeleteFunc(sorted, func(s target.Spoke) bool {
		known = append(known, s.Name)
		key := gitops.ServerKey(s.Server)
		if name != "" && s.Name != name || seen[key] {
			return true
		}
		seen[key] = true
		return false
	})
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no cluster %q%s", name, gitops.DidYouMean(name, known))
	}
	return out, nil
}

// byNeed sorts those first that somebody should look at.
func byNeed(a, b Secret) int {
	return cmp.Or(need(&a)-need(&b), strings.Compare(a.Cluster, b.Cluster), strings.Compare(a.Namespace, b.Namespace),
		strings.Compare(a.Name, b.Name), strings.Compare(a.ExternalSecret, b.ExternalSecret))
}

func need(s *Secret) int {
	if s.Needy() {
		return 0
	}
	return 1
}
