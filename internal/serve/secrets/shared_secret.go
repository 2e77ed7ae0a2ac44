package secrets

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// keptSecret is a Secret that every replica follows: what one of them writes,
// all know as soon as the API server tells.
type keptSecret struct {
	secrets corev1client.SecretInterface
	name    string
	// what it keeps, as errors name it.
	what string
	log  *slog.Logger
	// taken is told what the Secret says, with the lock held; one without a name
	// is not there.
	taken func(*corev1.Secret)

	mu      sync.Mutex
	read    bool
	version uint64
	// misused tells why nothing may be written to it.
	misused error
}

// put takes what the Secret says. What is older than what is known comes late,
// and says nothing.
func (k *keptSecret) put(s *corev1.Secret) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.takeNewer(s)
}

// listed takes what a whole list says, unless something newer came in the
// meantime. A hub that was restored counts its versions from an earlier one.
func (k *keptSecret) listed(before uint64, s *corev1.Secret) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.version == before {
		k.version = 0
	}
	k.takeNewer(s)
}

// takeNewer is put, with the lock held.
func (k *keptSecret) takeNewer(s *corev1.Secret) {
	version, err := strconv.ParseUint(s.ResourceVersion, 10, 64)
	if err == nil && version < k.version {
		return
	}
	k.read, k.version, k.misused = true, version, gitops.Misused(s.Name, s.Labels)
	k.taken(s)
}

// latest is the version that is known.
func (k *keptSecret) latest() uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.version
}

// fit tells why the Secret must not be written: it is somebody else's. What it
// says counts all the same, as it may have been said before.
func (k *keptSecret) fit() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.misused
}

// unread is the error for who asks before anything was read.
func (k *keptSecret) unread() error {
	return gitops.Problemf(gitops.Unreachable, "the %s have not been read yet", k.what).Do("try again")
}

// Follow takes what the Secret says, until ctx ends.
func (k *keptSecret) Follow(ctx context.Context) {
	follow.Anew(ctx, k.watch, func(err error) {
		k.log.WarnContext(ctx, "the "+k.what+" stay as they are", "secret", k.name, "error", err)
	})
}

// only picks the Secret.
func (k *keptSecret) only() metav1.ListOptions {
	return metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, k.name).String()}
}

// list reads the Secret, and returns the version from which its changes go on.
func (k *keptSecret) list(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	before := k.latest()
	list, err := k.secrets.List(ctx, k.only())
	if err != nil {
		return "", err
	}
	if len(list.Items) > 0 {
		k.listed(before, &list.Items[0])
	} else {
		k.listed(before, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{ResourceVersion: list.ResourceVersion}})
	}
	return list.ResourceVersion, nil
}

// watch reads the Secret and takes its changes until the watch ends. It reports
// whether it could be read.
func (k *keptSecret) watch(ctx context.Context) (read bool, err error) {
	from, err := k.list(ctx)
	if err != nil {
		return false, err
	}
	only := k.only()
	only.ResourceVersion = from
	w, err := k.secrets.Watch(ctx, only)
	if err != nil {
		return true, err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		s, ok := event.Object.(*corev1.Secret)
		switch {
		case !ok: // an error: the watch ends
		case event.Type == watch.Deleted:
			k.put(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{ResourceVersion: s.ResourceVersion}})
		default:
			k.put(s)
		}
	}
	return true, nil
}

// write changes entries of the Secret, which is made where there is none, and
// takes what it says then.
func (k *keptSecret) write(ctx context.Context, data map[string]any) error {
	if err := k.fit(); err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"data": data})
	if err != nil {
		return fmt.Errorf("cannot encode Secret %s: %w", k.name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	s, err := k.patch(ctx, patch)
	if apierrors.IsNotFound(err) {
		if err := k.create(ctx); err != nil {
			return err
		}
		s, err = k.patch(ctx, patch)
	}
	if err != nil {
		return gitops.Problemf(gitops.Unreachable, "cannot write Secret %s, which keeps %s: %w", k.name, k.what, err)
	}
	k.put(s)
	return nil
}

func (k *keptSecret) patch(ctx context.Context, patch []byte) (*corev1.Secret, error) {
	return k.secrets.Patch(ctx, k.name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: string(FieldOwner)})
}

// create makes it, empty; another replica may have been faster.
func (k *keptSecret) create(ctx context.Context) error {
	empty := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: k.name, Labels: map[string]string{partOf: "causeway"}}}
	_, err := k.secrets.Create(ctx, empty, metav1.CreateOptions{FieldManager: string(FieldOwner)})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return gitops.Problemf(gitops.Unreachable, "cannot make Secret %s, which keeps %s: %w", k.name, k.what, err)
	}
	return nil
}
