package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// bridgeSet gives each cluster an application on the hub, with a value out of
// its annotations.
const bridgeSet = `
metadata: {name: bridge, namespace: argocd}
spec:
  generators: [{clusters: {selector: {matchLabels: {enable_app: "true"}}}}]
  template:
    metadata: {name: 'app-{{name}}'}
    spec:
      project: default
      source: {repoURL: 'https://git.example.com/bench/apps', targetRevision: main, path: chart, helm: {values: 'region: {{metadata.annotations.region}}'}}
      destination: {server: 'https://kubernetes.default.svc', namespace: default}
      syncPolicy: {automated: {}}
`

// bridgeProfile is how long the engine's CPU is profiled while the applications come.
const bridgeProfile = 30 * time.Second

// bridge measures one set over many clusters: until its applications exist,
// until they are synced, and from a changed key of one cluster to the object.
func (b *bench) bridge(ctx context.Context, clusters int) error {
	out := newTable(fmt.Sprintf("one ApplicationSet over %d cluster Secrets", clusters))
	w, err := b.newWorld(ctx, 1)
	if err != nil {
		return err
	}
	defer w.close()
	w.apps, w.silent = clusters, clusters+1
	fmt.Fprintf(os.Stderr, "bench: bridge with %d clusters\n", clusters)
	if err := w.bridgeFleet(ctx, clusters); err != nil {
		return err
	}
	set := &v1alpha1.ApplicationSet{}
	if err := yaml.UnmarshalStrict([]byte(bridgeSet), set); err != nil {
		return err
	}
	made, synced, err := w.rawBridge(ctx, clusters, set.Spec.Template.Spec)
	if err != nil {
		return err
	}
	out.row(fmt.Sprintf("raw limit: a plain client makes the applications, %d in flight", rawInFlight), seconds(made), "1.0×")
	out.row("  and each one's object and status", seconds(synced), "1.0×")
	finish, err := b.profile(ctx, w, bridgeProfile)
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := w.client.Create(ctx, set); err != nil {
		return err
	}
	if err := w.exist(ctx, clusters); err != nil {
		return err
	}
	exist := time.Since(begin)
	out.row("applications exist", seconds(exist), times(exist, made), "Argo CD, published: 4.4–19.5 s for 1,000")
	if err := w.allGood(ctx); err != nil {
		return err
	}
	good := time.Since(begin)
	out.row("and are synced and healthy", seconds(good), times(good, synced))
	if err := finish(); err != nil {
		return err
	}
	before, err := w.settled(ctx)
	if err != nil {
		return err
	}
	out.row("  CPU of the engine", seconds(before.cpu))
	out.row("  memory of the engine; at the most", mebibytes(before.resident)+"; "+mebibytes(before.peak), fmt.Sprintf("%d KiB an application", (before.peak>>10)/int64(clusters)))
	if err := w.bridgeChanges(ctx, out, before, clusters); err != nil {
		return err
	}
	fmt.Print(out)
	return nil
}

// bridgeChanges measures from a changed annotation and a changed label of one cluster to what comes of each.
func (w *world) bridgeChanges(ctx context.Context, out *table, before usage, clusters int) error {
	took, err := w.changeRegion(ctx, bridgeCluster(clusters/2))
	if err != nil {
		return err
	}
	after, err := w.settled(ctx)
	if err != nil {
		return err
	}
	out.row("one annotation to the object", seconds(took))
	out.row("  renders", fmt.Sprintf("%.0f", after.renders-before.renders), "1 application reads it")
	out.row("  CPU of the engine", seconds(after.cpu-before.cpu))
	if took, err = w.switchOn(ctx, clusters); err != nil {
		return err
	}
	last, err := w.settled(ctx)
	if err != nil {
		return err
	}
	out.row("one label to a new application", seconds(took), "Argo CD, published: 1.5 s at 1,000")
	out.row("  CPU of the engine, until it is synced", seconds(last.cpu-after.cpu), "Argo CD, published: 2–3 s to follow a label at 1,000")
	return nil
}

func bridgeCluster(i int) string { return fmt.Sprintf("c%05d", i) }

// bridgeFleet writes the chart, and Secrets of clusters that nothing answers
// for; one more than counts is switched off.
func (w *world) bridgeFleet(ctx context.Context, clusters int) error {
	for name, text := range map[string]string{
		"chart/Chart.yaml":        "{apiVersion: v2, name: app, version: 1.0.0}\n",
		"chart/templates/cm.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: '{{ .Release.Name }}'}, data: {region: '{{ .Values.region }}'}}\n",
	} {
		if err := w.write(name, text); err != nil {
			return err
		}
	}
	if err := w.commit(ctx, "chart"); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(rawInFlight)
	for i := range clusters + 1 {
		g.Go(func() error {
			name := bridgeCluster(i)
			return w.client.Create(ctx, &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{
					Name: name, Namespace: namespace, Annotations: map[string]string{"region": "eu"},
					Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "enable_app": strconv.FormatBool(i < clusters)},
				},
				StringData: map[string]string{"name": name, "server": "https://127.0.0.1:1/" + name, "config": "{}"},
			})
		})
	}
	return g.Wait()
}

// rawBridge is what the same control plane takes to make as many applications as wide, and until each has its object and a
// status as well, from a client that does nothing else. They are in a namespace that the engine does not look at.
func (w *world) rawBridge(ctx context.Context, clusters int, spec v1alpha1.ApplicationSpec) (made, synced time.Duration, err error) {
	const namespace = "raw"
	if err := w.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		return 0, 0, err
	}
	each := func(do func(ctx context.Context, name string) error) (time.Duration, error) {
		begin := time.Now()
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(rawInFlight)
		for i := range clusters {
			g.Go(func() error { return do(ctx, "app-"+bridgeCluster(i)) })
		}
		err := g.Wait()
		return time.Since(begin), err
	}
	made, err = each(func(ctx context.Context, name string) error {
		return w.client.Create(ctx, &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: *spec.DeepCopy()})
	})
	if err != nil {
		return 0, 0, err
	}
	status := []byte(`{"status": {"sync": {"status": "Synced", "revision": "` + strings.Repeat("a", 40) + `"}, "health": {"status": "Healthy"}}}`)
	more, err := each(func(ctx context.Context, name string) error {
		if err := w.client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string]string{"region": "eu"}}); err != nil {
			return err
		}
		app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
		return w.client.Patch(ctx, app, client.RawPatch(types.MergePatchType, status))
	})
	return made, made + more, err
}

// exist waits until there are so many applications. Only their names are read.
func (w *world) exist(ctx context.Context, count int) error {
	return w.poll(ctx, func() (bool, error) {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.ApplicationKind + "List"))
		err := w.client.List(ctx, list, client.InNamespace(namespace), client.Limit(1))
		if err != nil || list.RemainingItemCount == nil {
			return err == nil && len(list.Items) == count, err
		}
		return int(*list.RemainingItemCount)+len(list.Items) >= count, nil
	})
}

// changeRegion changes one annotation, and waits for the object.
func (w *world) changeRegion(ctx context.Context, cluster string) (time.Duration, error) {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: cluster, Namespace: namespace}}
	begin := time.Now()
	if err := w.client.Patch(ctx, s, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"region":"us"}}}`))); err != nil {
		return 0, err
	}
	err := w.poll(ctx, func() (bool, error) {
		cm := &corev1.ConfigMap{}
		err := w.client.Get(ctx, client.ObjectKey{Namespace: "default", Name: "app-" + cluster}, cm)
		return err == nil && cm.Data["region"] == "us", err
	})
	return time.Since(begin), err
}

// switchOn sets the label of the last cluster, and waits for its application.
func (w *world) switchOn(ctx context.Context, clusters int) (time.Duration, error) {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: bridgeCluster(clusters), Namespace: namespace}}
	begin := time.Now()
	if err := w.client.Patch(ctx, s, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"enable_app":"true"}}}`))); err != nil {
		return 0, err
	}
	err := w.exist(ctx, clusters+1)
	return time.Since(begin), err
}
