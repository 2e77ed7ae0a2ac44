package app

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/store"
)

// HistoryConfig says where the history of syncs is kept.
type HistoryConfig struct {
	// Off keeps none.
	Off bool
	// URL is a file or postgres://…; HistoryFile in the cache folder when empty.
	URL    string
	Limits store.Limits
}

// Names of what belongs to the history.
const (
	// HistoryFile and HistoryKeyFile are in the cache folder.
	HistoryFile    = "history.db"
	HistoryKeyFile = "history.key"
	// HistorySecret of the control namespace has the key that seals manifests
	// in a database that several engines share, and the token of the API.
	HistorySecret = "causeway-history"
	historyKey    = "key"
	historyToken  = "token"
)

// openHistory makes the store. An engine whose history cannot be kept runs
// without one: only what the user wrote wrongly stops it.
func (e *Engine) openHistory(ctx context.Context) error {
	cfg := e.cfg.History
	if cfg.Off {
		return nil
	}
	key, err := e.historyKey(ctx, cfg.URL)
	if err != nil {
		e.cfg.Log.ErrorContext(ctx, "no history is kept", "error", err)
		e.metrics.MustRegister(prometheus.NewCounterFunc(auditLost, func() float64 { return float64(e.unaudited.Load()) }))
		return nil
	}
	e.seal = operation.NewSeal(key.Derive("operations"))
	e.history, err = store.New(store.Options{
		URL: cmp.Or(cfg.URL, filepath.Join(e.cfg.CacheDir, HistoryFile)), Key: key, Limits: cfg.Limits, Log: e.cfg.Log,
		Whose: auth.Asker,
	})
	if err != nil {
		return err
	}
	e.countHistory()
	return nil
}

// historyKey is in a file beside the database, or, where engines share a
// database, in a Secret of the control namespace.
func (e *Engine) historyKey(ctx context.Context, url string) (store.Key, error) {
	if !strings.Contains(url, "://") {
		dir := e.cfg.CacheDir
		if url != "" {
			dir = filepath.Dir(url)
		}
		return store.FileKey(filepath.Join(dir, HistoryKeyFile))
	}
	secret, err := e.historySecret(ctx)
	if err != nil {
		return store.Key{}, err
	}
	return store.ParseKey(secret.Data[historyKey])
}

// historySecret reads the Secret, and makes it where it is missing.
func (e *Engine) historySecret(ctx context.Context) (*corev1.Secret, error) {
	c, err := client.New(e.cfg.Hub, client.Options{Scheme: e.manager.GetScheme()})
	if err != nil {
		return nil, fmt.Errorf("cannot reach the hub: %w", err)
	}
	name := types.NamespacedName{Namespace: e.cfg.Namespace, Name: HistorySecret}
	secret := &corev1.Secret{}
	err = c.Get(ctx, name, secret)
	if err == nil {
		return secret, gitops.Misused(HistorySecret, secret.Labels)
	}
	if !apierrors.IsNotFound(err) {
		return nil, err
	}
	key, token := store.NewKey(), store.NewKey()
	secret = &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name, Labels: map[string]string{"app.kubernetes.io/part-of": "causeway"}},
		Data:       map[string][]byte{historyKey: hexOf(key), historyToken: hexOf(token)},
	}
	err = c.Create(ctx, secret)
	if apierrors.IsAlreadyExists(err) {
		return secret, c.Get(ctx, name, secret) // another replica was faster
	}
	return secret, err
}

func hexOf(k store.Key) []byte { return []byte(hex.EncodeToString(k[:])) }

// writeHistory runs the store until ctx ends.
func (e *Engine) writeHistory(ctx context.Context) error {
	if e.history == nil {
		return nil
	}
	return e.history.Run(ctx)
}

var auditLost = prometheus.CounterOpts{Name: "causeway_audit_lost_total", Help: "Entries of what happened by itself that the audit lacks."}

// countHistory shows how the store does.
func (e *Engine) countHistory() {
	gauge := func(name, help string, value func(store.Stats) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return value(e.history.Stats()) })
	}
	counter := func(name, help string, value func(store.Stats) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value(e.history.Stats())) })
	}
	e.metrics.MustRegister(
		gauge("causeway_history_up", "Whether the last write of the history succeeded (1) or not (0).", func(s store.Stats) float64 {
			if s.Up {
				return 1
			}
			return 0
		}),
		gauge("causeway_history_queued", "Records of the history that wait to be written.", func(s store.Stats) float64 { return float64(s.Queued) }),
		gauge("causeway_history_bytes", "Size of the history in bytes, as of the last pruning.", func(s store.Stats) float64 { return float64(s.Bytes) }),
		counter("causeway_history_written_total", "Records of the history that were written.", func(s store.Stats) int64 { return s.Written }),
		counter("causeway_history_lost_total", "Records of the history that were lost: the database was away for too long, or refused them.", func(s store.Stats) int64 { return s.Lost }),
		counter("causeway_audit_errors_total", "Writes of the audit that failed; what they were to tell of was not done.", func(s store.Stats) int64 { return s.AuditErrors }),
		counter(auditLost.Name, auditLost.Help, func(s store.Stats) int64 { return s.AuditLost }),
		counter("causeway_history_errors_total", "Writes of the history that failed.", func(s store.Stats) int64 { return s.Errors }),
	)
}
