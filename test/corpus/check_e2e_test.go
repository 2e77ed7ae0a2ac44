//go:build e2e

package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// checkSpecs holds the live Applications to the offline expansion.
func (r *run) checkSpecs(t *testing.T, want *closure) {
	t.Helper()
	for name, app := range want.apps {
		if len(want.twice[name]) > 0 {
			continue // either set may have been the first
		}
		if d := cmp.Diff(app.Spec, r.live[name].Spec); d != "" {
			t.Errorf("spec of %s (-want +got):\n%s", name, d)
		}
	}
}

// checkValues holds the values that the stand-in charts got, of each Application, to a second computation.
func (r *run) checkValues(t *testing.T, want *closure, excused map[string]bool) {
	t.Helper()
	shown := r.configMaps(t)
	checked := 0
	for _, name := range sorted(want.apps) {
		for _, s := range r.live[name].Spec.GetSources() {
			if s.Chart == "" || excused[name] {
				continue
			}
			if err := r.checkMerged(r.live[name], s, shown); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			checked++
		}
	}
	t.Logf("values of %d charts are as they should be", checked)
}

// place is where an object is.
type place struct {
	member          int
	namespace, name string
}

func (r *run) configMaps(t *testing.T) map[place]*corev1.ConfigMap {
	t.Helper()
	out := map[place]*corev1.ConfigMap{}
	for i, c := range r.clients {
		var list corev1.ConfigMapList
		if err := c.List(t.Context(), &list); err != nil {
			t.Fatal(err)
		}
		for j := range list.Items {
			cm := &list.Items[j]
			out[place{i, cm.Namespace, cm.Name}] = cm
		}
	}
	return out
}

// placeOf is where the stand-in chart of an Application shows its values.
func (r *run) placeOf(app *v1alpha1.Application, s v1alpha1.ApplicationSource) place {
	release := app.Name
	if s.Helm != nil && s.Helm.ReleaseName != "" {
		release = s.Helm.ReleaseName
	}
	name := release + "-" + path.Base(s.Chart)
	name = strings.TrimSuffix(name[:min(len(name), 52)], "-")
	return place{r.member(app.Spec.Destination), orElse(app.Spec.Destination.Namespace, "default"), name}
}

func (r *run) member(d v1alpha1.ApplicationDestination) int {
	return slices.IndexFunc(r.all, func(s *corev1.Secret) bool {
		return d.Name == string(s.Data["name"]) || d.Server == string(s.Data["server"])
	})
}

func (r *run) checkMerged(app *v1alpha1.Application, s v1alpha1.ApplicationSource, shown map[place]*corev1.ConfigMap) error {
	at := r.placeOf(app, s)
	got, err := valuesAt(shown, at)
	if err != nil {
		return err
	}
	want, err := r.wanted(app, s)
	if err != nil {
		return err
	}
	if d := cmp.Diff(want, got); d != "" {
		return fmt.Errorf("values in %v (-want +got):\n%s", at, d)
	}
	return nil
}

// wanted are the values that a source's chart must have been given.
func (r *run) wanted(app *v1alpha1.Application, s v1alpha1.ApplicationSource) (map[string]any, error) {
	version, _ := versionFor(s.TargetRevision)
	chart := map[string]any{"standIn": map[string]any{"chart": path.Base(s.Chart), "version": version}}
	want, err := merged(app, s, chart, func(repo string) fs.FS {
		dir, _ := r.repoDir(repo)
		return os.DirFS(dir)
	})
	if err != nil {
		return nil, err
	}
	return settled(want)
}

func valuesAt(shown map[place]*corev1.ConfigMap, at place) (map[string]any, error) {
	cm := shown[at]
	if cm == nil {
		return nil, fmt.Errorf("there is no ConfigMap %v", at)
	}
	got := map[string]any{}
	if err := yaml.Unmarshal([]byte(cm.Data["values.yaml"]), &got); err != nil {
		return nil, err
	}
	return settled(got)
}

func (r *run) checkLayer(l layer, shown map[place]*corev1.ConfigMap) error {
	app := r.live[l.app]
	if app == nil {
		return fmt.Errorf("there is no application %s", l.app)
	}
	for _, s := range app.Spec.GetSources() {
		if s.Chart == "" {
			continue
		}
		values, err := valuesAt(shown, r.placeOf(app, s))
		if err != nil {
			return err
		}
		var at any = values
		for _, key := range strings.Split(l.path, "/") {
			m, _ := at.(map[string]any)
			at = m[key]
		}
		if fmt.Sprint(at) != l.want {
			return fmt.Errorf("%s has %v at %s, want %s", l.app, at, l.path, l.want)
		}
	}
	return nil
}

// quiet is how long a fleet at rest is watched.
const quiet = 5 * time.Second

// checkQuiet sees to it that a fleet at rest is not written to; Applications that fail may be tried again.
func (r *run) checkQuiet(t *testing.T, excused map[string]bool) {
	t.Helper()
	before, seen := r.versions(t), r.live
	var changed []string
	// A look that comes too early proves less, and fails nothing.
	embeddedtest.Never(t, quiet, func(context.Context) error {
		changed = slices.DeleteFunc(r.written(t, before), func(name string) bool { return excused[name] })
		if len(changed) == 0 {
			return errors.New("nothing was written")
		}
		for _, name := range changed[:min(len(changed), 3)] {
			t.Errorf("%s was written at rest (-before +after):\n%s", name, cmp.Diff(seen[name], r.live[name]))
		}
		return nil
	})
}

func (r *run) versions(t *testing.T) map[string]string {
	t.Helper()
	if err := r.look(t.Context()); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for name, app := range r.live {
		out[name] = app.ResourceVersion
	}
	return out
}

func (r *run) written(t *testing.T, before map[string]string) []string {
	t.Helper()
	var out []string
	for name, version := range r.versions(t) {
		if before[name] != version {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// checkMetadata changes an annotation of a cluster: exactly the Applications that read it change. Those that fail may
// be tried again meanwhile.
func (r *run) checkMetadata(t *testing.T, before *closure, excused map[string]bool) {
	t.Helper()
	m := r.metadata
	if m.cluster == "" {
		return
	}
	changed := switchedOn(r.all, nil)
	i := slices.IndexFunc(changed, func(s *corev1.Secret) bool { return string(s.Data["name"]) == m.cluster })
	changed[i].Annotations[m.key] = m.value
	after := r.offline(t, changed, before.apps)
	var readers []string
	for name, app := range after.apps {
		if !excused[name] && !cmp.Equal(before.apps[name].Spec, app.Spec) {
			readers = append(readers, name)
		}
	}
	slices.Sort(readers)
	if len(readers) == 0 {
		t.Fatalf("no application reads annotation %s of %s", m.key, m.cluster)
	}
	versions := r.versions(t)
	begin := time.Now()
	r.putSecrets(t, changed[i:i+1])
	r.all = changed
	r.awaitChanged(t, after, readers)
	t.Logf("annotation %s of %s: %d applications changed in %s: %s", m.key, m.cluster, len(readers), time.Since(begin).Round(10*time.Millisecond), few(readers))
	written := slices.DeleteFunc(r.written(t, versions), func(name string) bool { return excused[name] })
	if !slices.Equal(written, readers) {
		t.Errorf("applications written are %v, want %v", written, readers)
	}
}

// awaitChanged waits until the live specs, and the values in the clusters, are those of a closure.
func (r *run) awaitChanged(t *testing.T, want *closure, names []string) {
	t.Helper()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := r.look(ctx); err != nil {
			return err
		}
		for _, name := range names {
			if !cmp.Equal(want.apps[name].Spec, r.live[name].Spec) || !isGood(r.live[name]) {
				return fmt.Errorf("%s: %s", name, told(r.live[name]))
			}
			if err := r.checkSources(ctx, r.live[name]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}

func (r *run) checkSources(ctx context.Context, app *v1alpha1.Application) error {
	for _, s := range app.Spec.GetSources() {
		if s.Chart == "" {
			continue
		}
		at := r.placeOf(app, s)
		cm := &corev1.ConfigMap{}
		if err := r.clients[at.member].Get(ctx, types.NamespacedName{Namespace: at.namespace, Name: at.name}, cm); err != nil {
			return err
		}
		if err := r.checkMerged(app, s, map[place]*corev1.ConfigMap{at: cm}); err != nil {
			return err
		}
	}
	return nil
}

// checkCommit writes files of values: exactly the Applications that had looked for them change.
func (r *run) checkCommit(t *testing.T, excused map[string]bool) {
	t.Helper()
	c := r.commit
	if c.repo == "" {
		return
	}
	dir, _ := r.repoDir(c.repo)
	stored, before := r.stored(t), r.allWanted(t, excused)
	begin := time.Now()
	if err := writeFiles(dir, c.files); err != nil {
		t.Fatal(err)
	}
	want := r.allWanted(t, excused)
	maps.DeleteFunc(want, func(at place, values map[string]any) bool { return cmp.Equal(before[at], values) })
	var shown map[place]*corev1.ConfigMap
	embeddedtest.Eventually(t, func(context.Context) error {
		shown = r.configMaps(t)
		for at, values := range want {
			if got, err := valuesAt(shown, at); err != nil || !cmp.Equal(values, got) {
				return fmt.Errorf("%v is not as the commit wants it: %w", at, err)
			}
		}
		return nil
	})
	t.Logf("a commit of %d files of values: %d applications have them in %s", len(c.files), len(want), time.Since(begin).Round(10*time.Millisecond))
	for _, l := range c.layers {
		if err := r.checkLayer(l, shown); err != nil {
			t.Error(err)
		}
	}
	for at, version := range r.stored(t) {
		if _, ok := want[at]; !ok && stored[at] != version {
			t.Errorf("the commit changed %v, which does not read it", at)
		}
	}
}

// allWanted are the values that all stand-in charts must have been given.
func (r *run) allWanted(t *testing.T, excused map[string]bool) map[place]map[string]any {
	t.Helper()
	out := map[place]map[string]any{}
	for name, app := range r.live {
		for _, s := range app.Spec.GetSources() {
			if s.Chart == "" || excused[name] {
				continue
			}
			values, err := r.wanted(app, s)
			if err != nil {
				t.Fatal(err)
			}
			out[r.placeOf(app, s)] = values
		}
	}
	return out
}

// stored are the versions of all ConfigMaps that charts made.
func (r *run) stored(t *testing.T) map[place]string {
	t.Helper()
	out := map[place]string{}
	for at, cm := range r.configMaps(t) {
		if cm.Data["values.yaml"] != "" {
			out[at] = cm.ResourceVersion
		}
	}
	return out
}

func orElse(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
