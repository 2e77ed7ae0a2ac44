package api

import (
	"context"
	"errors"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

func (s *server) findApplications(_ context.Context, l *looking) (items []Find, more bool, err error) {
	rows, more := l.seen.Find(l.words, l.limit)
	for _, r := range rows {
		items = append(items, Find{Name: r.Name, Namespace: r.Namespace, Project: r.Project, Cluster: r.Cluster, Sync: r.Sync, Health: r.Health})
	}
	return items, more, nil
}

func (s *server) findClusters(_ context.Context, l *looking) (items []Find, more bool, err error) {
	items, more = best(l, l.clusters,
		func(c *clusters.Health) int { return l.rank(c.Name, c.Server, labelled(c.Labels)) },
		func(c *clusters.Health) Find {
			return Find{Name: c.Name, ID: c.Secret, Project: c.Project, Server: c.Server, Unreachable: !c.Reachable}
		})
	return items, more, nil
}

// labelled are labels as a text that is searched.
func labelled(labels map[string]string) string {
	var out strings.Builder
	for name, value := range labels {
		out.WriteString(name + "=" + value + "\n")
	}
	return out.String()
}

func (s *server) findSets(ctx context.Context, l *looking) (items []Find, more bool, err error) {
	all, err := s.Applications.ApplicationSets(ctx)
	if err != nil {
		return nil, false, err
	}
	items, more = best(l, reach.Only(ctx, s.reach, all, reach.ReadSet),
		func(set *v1alpha1.ApplicationSet) int { return l.rank(set.Name) },
		func(set *v1alpha1.ApplicationSet) Find {
			return Find{Name: set.Name, Namespace: set.Namespace, Project: set.Spec.Template.Spec.GetProject()}
		})
	return items, more, nil
}

func (s *server) findProjects(ctx context.Context, l *looking) (items []Find, more bool, err error) {
	all, err := s.Applications.Projects(ctx)
	if err != nil {
		return nil, false, err
	}
	items, more = best(l, reach.Only(ctx, s.reach, all, reach.ReadProject),
		func(p *v1alpha1.AppProject) int { return l.rank(p.Name, p.Spec.Description) },
		func(p *v1alpha1.AppProject) Find { return Find{Name: p.Name, Text: p.Spec.Description} })
	return items, more, nil
}

func (s *server) findRepositories(ctx context.Context, l *looking) (items []Find, more bool, err error) {
	all, err := s.Repositories.All(ctx)
	if err != nil {
		return nil, false, err
	}
	items, more = best(l, reach.Only(ctx, s.reach, all, readRepository),
		func(r *Repository) int { return l.rank(r.URL, r.Name) },
		func(r *Repository) Find {
			return Find{Name: r.URL, ID: r.ID, Text: r.Name, Project: r.Project, Template: r.Template}
		})
	return items, more, nil
}

// findObjects names the objects as the Applications have them now.
func (s *server) findObjects(ctx context.Context, l *looking) (items []Find, more bool, err error) {
	objects, more := l.seen.FindObjects(l.words, l.limit)
	for i := range objects {
		o := &objects[i]
		of := o.Row.Key()
		app, err := s.applicationOf(ctx, o.Row)
		var p *gitops.Problem
		switch {
		case errors.As(err, &p):
			continue // it is gone, or moves
		case err != nil:
			return nil, false, err
		}
		for j := range app.Status.Resources {
			r := &app.Status.Resources[j]
			if o.Is(r.Kind, r.Namespace, r.Name) {
				object := Ref{Group: r.Group, Version: r.Version, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
				items = append(items, Find{Name: r.Name, Object: &object, Of: &of, Project: o.Row.Project, Cluster: o.Row.Cluster, Sync: string(r.Status), Health: healthOf(r)})
				break
			}
		}
	}
	return items, more, nil
}

func healthOf(r *v1alpha1.ResourceStatus) string {
	if r.Health == nil {
		return ""
	}
	return string(r.Health.Status)
}

// findCommits looks for those that the words are in and that change what may be
// seen, the newest first.
func (s *server) findCommits(ctx context.Context, l *looking) (items []Find, more bool, err error) {
	if s.Commits == nil {
		return nil, false, nil
	}
	seen := s.commits.sees(l.seen, l.now, s.reach.Past())
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	q := seen.asks(history.CommitQuery{Own: l.text, Limit: commitsAtOnce})
	for looked := 0; looked < commitsLooked; looked += q.Limit {
		some, err := s.Commits.Commits(ctx, q)
		if err != nil {
			return items, true, err // what was found until the time was over is shown
		}
		for i := range some {
			c := &some[i]
			q.Before = history.CommitPlace{At: c.At, CommitKey: c.CommitKey}
			found, err := seen.of(ctx, c)
			if err != nil {
				return items, true, err
			}
			if len(found.steps) == 0 || !l.words.In(wordsOf(c)) {
				continue
			}
			if len(items) == l.limit {
				return items, true, nil
			}
			sum := &found.commit
			items = append(items, Find{Name: sum.Revision, ID: sum.Repo, Text: sum.Subject, Author: sum.Author, At: sum.At, State: sum.State, Applications: sum.Applications})
		}
		if len(some) < q.Limit {
			return items, false, nil
		}
	}
	return items, true, nil
}

// findKeys looks among the keys of the bridge, and those that are read and not there.
func (s *server) findKeys(ctx context.Context, l *looking) (items []Find, more bool, err error) {
	looks, cancel := context.WithTimeout(ctx, keysTime)
	defer cancel()
	b, err := s.Bridge.Bridge(looks)
	if err != nil {
		return nil, false, errors.Join(looks.Err(), err)
	}
	b = b.of(s.readsClusters(ctx, l.clusters))
	sight := s.sightOfSets(ctx)
	counted := &fittingKeys{l: l, ranks: map[keyName]int{}, at: map[keyName]int{}}
	for i := range b.Clusters {
		c := &b.Clusters[i]
		for j := range c.Keys {
			counted.add(&c.Keys[j], 1)
		}
		for j := range c.Missing {
			if k := &c.Missing[j]; sight.reads(k.Readers) {
				counted.add(k, 0)
			}
		}
	}
	items, more = counted.best()
	return items, more, nil
}

// fittingKeys counts the keys that fit, each judged once.
type fittingKeys struct {
	l     *looking
	ranks map[keyName]int
	finds []Find
	at    map[keyName]int
}

type keyName struct{ in, name string }

func (t *fittingKeys) add(k *BridgeKey, clusters int) {
	name := keyName{k.In, k.Name}
	rank, known := t.ranks[name]
	if !known {
		rank = t.l.rank(k.Name)
		t.ranks[name] = rank
	}
	if rank < 0 {
		return
	}
	at, counted := t.at[name]
	if !counted {
		at = len(t.finds)
		t.at[name] = at
		t.finds = append(t.finds, Find{Name: k.Name, In: k.In})
	}
	t.finds[at].Clusters += clusters
}

func (t *fittingKeys) best() (items []Find, more bool) {
	return best(t.l, t.finds, func(f *Find) int { return t.ranks[keyName{f.In, f.Name}] }, func(f *Find) Find { return *f })
}
