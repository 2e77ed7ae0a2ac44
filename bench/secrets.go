package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

const (
	secretStores = 10
	// sharing is how many ExternalSecrets use an entry, each two keys of it.
	sharing     = 10
	keysOfEntry = 2

	// secretsProfile is how long the engine's CPU is profiled while all are refreshed.
	secretsProfile = 20 * time.Second

	secretsNamespace = "secrets"
	plainNamespace   = "plain"
)

// secrets measures n ExternalSecrets on ten stores, beside a plain client that does
// what they ask for one after the other: a call for each key, a Secret and a status.
func (b *bench) secrets(ctx context.Context, n int) error {
	out := newTable(fmt.Sprintf("%d ExternalSecrets on %d stores, %d keys each; %d use an entry", n, secretStores, keysOfEntry, sharing))
	fmt.Fprintf(os.Stderr, "bench: secrets with %d ExternalSecrets\n", n)
	vault, err := startVault(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = vault.Close() }()
	w := &world{apps: 1, manifests: manifests, flags: []string{"--secrets", "--pprof"}}
	if err := w.begin(ctx, b.engine); err != nil {
		return err
	}
	defer w.close()
	s := &secretsWorld{world: w, bench: b, vault: vault, n: n, out: out}
	for _, part := range []func(context.Context) error{s.prepare, s.plain, s.first, s.again, s.rotate, s.rest} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	fmt.Print(out)
	return nil
}

// secretsWorld is a world with a server of entries.
type secretsWorld struct {
	*world

	bench *bench
	vault *vaultServer
	n     int
	out   *table
	plane rest.Interface
	// heap is that of the engine before the first ExternalSecret, in bytes.
	heap int64
	// took and calls are the plain client's.
	took  time.Duration
	calls int64
	// refreshed is the engine's CPU for one refresh of all.
	refreshed time.Duration
}

func (s *secretsWorld) prepare(ctx context.Context) error {
	var err error
	if s.plane, err = rawClient(s.cluster); err != nil {
		return err
	}
	if err := esv1.AddToScheme(s.client.Scheme()); err != nil {
		return err
	}
	for _, name := range []string{secretsNamespace, plainNamespace} {
		if err := s.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return err
		}
	}
	if err := s.client.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: secretsNamespace, Name: "token"}, StringData: map[string]string{"token": "t"}}); err != nil {
		return err
	}
	if err := s.until(ctx, time.Minute, s.defined); err != nil {
		return fmt.Errorf("the engine does not bring the kinds: %w", err)
	}
	for i := range secretStores {
		store := fmt.Sprintf("{apiVersion: external-secrets.io/v1, kind: SecretStore, metadata: {name: store-%d}, spec: {provider: {vault: {server: '%s', path: secret, version: v2, auth: {tokenSecretRef: {name: token, key: token}}}}}}", i, s.vault.address)
		if err := patch(ctx, s.plane, externalSecrets(secretsNamespace, "secretstores", fmt.Sprintf("store-%d", i)), store); err != nil {
			return err
		}
	}
	if _, err := s.settled(ctx); err != nil {
		return err
	}
	s.heap, err = s.engine.heap(ctx)
	return err
}

// defined reports whether the API server serves the kinds.
func (s *secretsWorld) defined(ctx context.Context) (bool, error) {
	err := s.plane.Get().AbsPath(externalSecrets(secretsNamespace, "externalsecrets", "")).Do(ctx).Error()
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

func externalSecrets(namespace, kinds, name string) string {
	return "/apis/external-secrets.io/v1/namespaces/" + namespace + "/" + kinds + "/" + name
}

// each does something for every ExternalSecret, as many at a time as plain clients do.
func (s *secretsWorld) each(ctx context.Context, do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(rawInFlight)
	for i := range s.n {
		g.Go(func() error { return do(ctx, i) })
	}
	return g.Wait()
}

func secretName(i int) string { return fmt.Sprintf("secret-%05d", i) }

// entryOf is the entry of an ExternalSecret, and the number of its store.
func entryOf(i int) (entry string, store int) {
	return fmt.Sprintf("entry-%05d", i/sharing), i / sharing % secretStores
}

func externalSecret(i int) string {
	entry, store := entryOf(i)
	return fmt.Sprintf("{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: %s}, spec: {refreshInterval: 1h, secretStoreRef: {name: store-%d}, "+
		"data: [{secretKey: username, remoteRef: {key: %[3]s, property: username}}, {secretKey: password, remoteRef: {key: %[3]s, property: password}}]}}", secretName(i), store, entry)
}

// plain is the same work of a plain client.
func (s *secretsWorld) plain(ctx context.Context) error {
	before := s.vault.reads.Load()
	begin := time.Now()
	err := s.each(ctx, func(ctx context.Context, i int) error {
		at := externalSecrets(plainNamespace, "externalsecrets", secretName(i))
		// Of another controller, so that the engine leaves it alone.
		if err := patch(ctx, s.plane, at, fmt.Sprintf("{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: %s}, spec: {refreshPolicy: OnChange, secretStoreRef: {name: none}}}", secretName(i))); err != nil {
			return err
		}
		entry, _ := entryOf(i)
		for range keysOfEntry {
			if err := s.vault.ask(ctx, entry); err != nil {
				return err
			}
		}
		value := base64.StdEncoding.EncodeToString([]byte("value-1-of-" + entry))
		secret := fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: %s}, data: {username: %s, password: %s}}", secretName(i), value, value)
		if err := patch(ctx, s.plane, "/api/v1/namespaces/"+plainNamespace+"/secrets/"+secretName(i), secret); err != nil {
			return err
		}
		status := fmt.Sprintf("{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: %s}, status: {refreshTime: '2026-01-01T00:00:00Z', conditions: [{type: Ready, status: 'True', reason: SecretSynced}]}}", secretName(i))
		return patch(ctx, s.plane, at+"/status", status)
	})
	s.took, s.calls = time.Since(begin), s.vault.reads.Load()-before
	s.out.row("raw limit: a plain client, 32 in flight", seconds(s.took), "1.00× the raw limit")
	s.out.row("  calls to the stores, one for each key", strconv.FormatInt(s.calls, 10), "1.00× the plain client")
	if err != nil {
		return err
	}
	return s.plane.Delete().AbsPath("/apis/external-secrets.io/v1/namespaces/" + plainNamespace + "/externalsecrets").Do(ctx).Error()
}

func (v *vaultServer) ask(ctx context.Context, entry string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.address+entryPath+entry, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}

// first measures until all Secrets are made.
func (s *secretsWorld) first(ctx context.Context) error {
	before, err := s.settled(ctx)
	if err != nil {
		return err
	}
	calls, begin := s.vault.reads.Load(), time.Now()
	if err := s.each(ctx, func(ctx context.Context, i int) error {
		return patch(ctx, s.plane, externalSecrets(secretsNamespace, "externalsecrets", secretName(i)), externalSecret(i))
	}); err != nil {
		return err
	}
	if err := s.until(ctx, 10*time.Minute, s.made); err != nil {
		return err
	}
	took := time.Since(begin)
	after, err := s.settled(ctx)
	if err != nil {
		return err
	}
	s.out.row("all Secrets made", seconds(took), times(took, s.took))
	s.asked("  calls to the stores", calls)
	s.out.row("  CPU of the engine", seconds(after.cpu-before.cpu), fmt.Sprintf("%.1f ms an ExternalSecret", (after.cpu-before.cpu).Seconds()*1000/float64(s.n)))
	used := difference(after.requests, before.requests)
	s.out.row("  API requests an ExternalSecret", fmt.Sprintf("%.1f", float64(sum(used))/float64(s.n)), verbs(used))
	heap, err := s.engine.heap(ctx)
	if err != nil {
		return err
	}
	s.out.row("memory for each ExternalSecret", fmt.Sprintf("%.1f KiB", float64(heap-s.heap)/1024/float64(s.n)), "heap after a garbage collection, its Secret and status in the caches with it")
	s.out.row("  resident memory of the engine; at the most", mebibytes(after.resident)+"; "+mebibytes(after.peak), "")
	return nil
}

// asked tells the calls since a count of them.
func (s *secretsWorld) asked(what string, since int64) {
	calls := s.vault.reads.Load() - since
	s.out.row(what, strconv.FormatInt(calls, 10), fmt.Sprintf("%.3f× the plain client", float64(calls)/float64(s.calls)))
}

// made reports whether there is a Secret for each ExternalSecret.
func (s *secretsWorld) made(ctx context.Context) (bool, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := s.client.List(ctx, list, client.InNamespace(secretsNamespace), client.Limit(1)); err != nil {
		return false, err
	}
	const token = 1
	return list.RemainingItemCount != nil && int(*list.RemainingItemCount)+len(list.Items) >= s.n+token, nil
}

// again measures one refresh of all, in which nothing has changed.
func (s *secretsWorld) again(ctx context.Context) error {
	const shared = 16 * time.Second // longer than what was read is given to others
	if err := pause(ctx, shared); err != nil {
		return err
	}
	before, err := s.settled(ctx)
	if err != nil {
		return err
	}
	refreshes, err := s.refreshes(ctx)
	if err != nil {
		return err
	}
	calls := s.vault.reads.Load()
	finish, err := s.bench.profile(ctx, s.world, secretsProfile)
	if err != nil {
		return err
	}
	if err := s.each(ctx, func(ctx context.Context, i int) error {
		return s.plane.Patch(types.MergePatchType).AbsPath(externalSecrets(secretsNamespace, "externalsecrets", secretName(i))).
			Body([]byte(`{"spec":{"refreshInterval":"61m"}}`)).Do(ctx).Error()
	}); err != nil {
		return err
	}
	all := func(ctx context.Context) (bool, error) {
		if err := pause(ctx, time.Second); err != nil { // to collect metrics is work
			return false, err
		}
		now, err := s.refreshes(ctx)
		return now-refreshes >= float64(s.n), err
	}
	if err := s.until(ctx, 10*time.Minute, all); err != nil {
		return err
	}
	after, err := s.settled(ctx)
	if err := errors.Join(err, finish()); err != nil {
		return err
	}
	s.refreshed = after.cpu - before.cpu
	s.asked("refresh of all, nothing changed: calls to the stores", calls)
	used := difference(after.requests, before.requests)
	s.out.row("  API requests an ExternalSecret", fmt.Sprintf("%.1f", float64(sum(used))/float64(s.n)), verbs(used))
	s.out.row("  CPU of the engine", seconds(s.refreshed), "")
	return nil
}

// refreshes is how many the engine has done.
func (s *secretsWorld) refreshes(ctx context.Context) (float64, error) {
	families, err := s.engine.metrics(ctx)
	if err != nil {
		return 0, err
	}
	return counter(families, "causeway_secret_refreshes_total"), nil
}

const rotated = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: rotated}, spec: {replicas: 1, selector: {matchLabels: {app: rotated}},
  template: {metadata: {labels: {app: rotated}}, spec: {containers: [{name: main, image: registry.example.com/web:1.0, envFrom: [{secretRef: {name: rotated}}]}]}}}}`

// rotate measures from a value that changes in a store to the Secret, and to the pod.
func (s *secretsWorld) rotate(ctx context.Context) error {
	const interval = 2 * time.Second
	one := fmt.Sprintf("{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: rotated, annotations: {%s: 'true'}}, spec: {refreshInterval: %s, secretStoreRef: {name: store-0}, dataFrom: [{extract: {key: rotated}}]}}",
		esv1.AnnotationRestart, interval)
	if err := patch(ctx, s.plane, externalSecrets(secretsNamespace, "externalsecrets", "rotated"), one); err != nil {
		return err
	}
	if err := s.until(ctx, time.Minute, s.has("value-1-of-rotated")); err != nil {
		return err
	}
	if err := patch(ctx, s.plane, "/apis/apps/v1/namespaces/"+secretsNamespace+"/deployments/rotated", rotated); err != nil {
		return err
	}
	if err := s.until(ctx, time.Minute, s.rolled(1)); err != nil {
		return err
	}
	begin := time.Now()
	s.vault.version.Add(1)
	if err := s.until(ctx, time.Minute, s.has("value-2-of-rotated")); err != nil {
		return err
	}
	s.out.row("a value changes: until it is in the Secret", seconds(time.Since(begin)), fmt.Sprintf("with a refreshInterval of %s", interval))
	if err := s.until(ctx, 2*time.Minute, s.rolled(2)); err != nil { //nolint:mnd // the second template
		return err
	}
	s.out.row("  and its pods are others", seconds(time.Since(begin)), "with ten seconds in which more changes are waited for")
	return s.client.Delete(ctx, &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: secretsNamespace, Name: "rotated"}})
}

func (s *secretsWorld) has(value string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		var secret corev1.Secret
		err := s.client.Get(ctx, types.NamespacedName{Namespace: secretsNamespace, Name: "rotated"}, &secret)
		return err == nil && string(secret.Data["password"]) == value, client.IgnoreNotFound(err)
	}
}

// rolled reports whether the Deployment's template of this generation is rolled out.
func (s *secretsWorld) rolled(generation int64) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		var d appsv1.Deployment
		err := s.client.Get(ctx, types.NamespacedName{Namespace: secretsNamespace, Name: "rotated"}, &d)
		return err == nil && d.Status.ObservedGeneration >= generation && d.Status.UpdatedReplicas == 1 && d.Status.AvailableReplicas == 1 && d.Status.Replicas == 1, err
	}
}

// rest measures a minute in which nothing is due, and what an hour costs with it.
func (s *secretsWorld) rest(ctx context.Context) error {
	before, err := s.settled(ctx)
	if err != nil {
		return err
	}
	calls := s.vault.reads.Load()
	if err := pause(ctx, time.Minute); err != nil {
		return err
	}
	after, err := s.engine.usage(ctx)
	if err != nil {
		return err
	}
	idle := after.cpu - before.cpu
	used := difference(after.requests, before.requests)
	s.out.row("a minute in which nothing is due: CPU; API requests; calls", fmt.Sprintf("%s; %d; %d", seconds(idle), sum(used), s.vault.reads.Load()-calls), verbs(used))
	s.out.row("  an hour: sixty of those, and a refresh of all", seconds(60*idle+s.refreshed), "")
	return nil
}

// until asks until something is so.
func (*secretsWorld) until(ctx context.Context, most time.Duration, so func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for {
		ok, err := so(ctx)
		if ok || err != nil {
			return err
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil { //nolint:mnd // fine enough for seconds
			return err
		}
	}
}
