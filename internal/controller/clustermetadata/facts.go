package clustermetadata

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// How clusters are asked for their facts.
const (
	// moment is enough for a cluster of which everything is known already.
	moment = 250 * time.Millisecond
	// lasting is how long such an answer is believed, unless the cluster tells of a
	// change: those who come late wake whoever asked, and the others are not asked
	// again for each of them.
	lasting = 5 * time.Second
	// asking are the clusters that are asked at a time. Half of them at most are
	// such that were slow the last time.
	asking = 16
	// A slow cluster spends a tenth of the time with questions at most, and
	// one that does not answer is asked after a pause that grows.
	slowFactor, slowPause = 10, time.Minute
	firstPause, lastPause = 10 * time.Second, 2 * time.Minute
)

// Those who share the places of questions.
const (
	quick = "quick"
	slow  = "slow"
)

// question is what is asked of one cluster, which is another one where its Secret
// names another server: with what its nodes say or without.
type question struct {
	secret types.UID
	server string
	nodes  bool
}

func (m *member) question(nodes bool) question { return question{m.UID, m.server, nodes} }

// answer is the last one to a question.
type answer struct {
	told *Told
	err  error
	// asked is closed with the answer to the question that is out; nil when there is none.
	asked chan struct{}
	// wakes are those who did not wait for it.
	wakes map[types.NamespacedName]bool
	// until then it is believed, and a quick one as long as the cluster tells of no
	// change since it was asked for.
	until, begun time.Time
	// failures are those in a row that took long.
	failures int
	lane     string
}

// reply is an answer as one reconcile takes it. Again is after how long the
// cluster can be asked anew; 0 when it may be at once, or Ring tells.
type reply struct {
	told  *Told
	err   error
	again time.Duration
}

var errUntold = gitops.Problemf(gitops.Unreachable, "the cluster has not told it yet")

// answers asks clusters beside the reconciles, and keeps what they told: one
// that hangs holds nobody but those who want something of it.
type answers struct {
	facts  Facts
	ring   func(types.NamespacedName)
	moment time.Duration
	places *slots.Slots

	ctx    context.Context //nolint:containedctx // questions outlast who asked them
	cancel context.CancelFunc
	owned  sync.WaitGroup

	mu sync.Mutex
	of map[question]*answer
	// told is when servers told of a change last, by gitops.ServerKey.
	told map[string]time.Time
}

func newAnswers(facts Facts, ring func(types.NamespacedName), wait time.Duration) *answers {
	a := &answers{facts: facts, ring: ring, moment: wait, places: slots.New(asking), of: map[question]*answer{}, told: map[string]time.Time{}}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// stop ends the questions, and waits for that.
func (a *answers) stop() {
	a.mu.Lock()
	a.cancel()
	a.mu.Unlock()
	a.owned.Wait()
}

// Tells notes that a cluster tells something else of itself now.
func (r *Reconciler) Tells(server string) {
	r.asked.mu.Lock()
	defer r.asked.mu.Unlock()
	r.asked.told[gitops.ServerKey(server)] = time.Now()
}

// ask gives what clusters tell of themselves, by the UID of their Secrets.
func (r *Reconciler) ask(ctx context.Context, object *causeway.ClusterMetadata, facts []causeway.MetadataValue, secrets []member) map[types.UID]reply {
	if len(facts) == 0 {
		return nil
	}
	var wanted []causeway.ClusterFact
	for _, f := range facts {
		if f.From.Fact != "" {
			wanted = append(wanted, f.From.Fact)
		}
	}
	nodes := slices.ContainsFunc(wanted, OfNodes)
	var out []chan struct{}
	for i := range secrets {
		if asked := r.asked.begin(secrets[i].question(nodes), secrets[i].Name, wanted); asked != nil {
			out = append(out, asked)
		}
	}
	r.asked.await(ctx, out)
	told := make(map[types.UID]reply, len(secrets))
	for i := range secrets {
		told[secrets[i].UID] = r.asked.take(secrets[i].question(nodes), client.ObjectKeyFromObject(object))
	}
	return told
}

// begin asks one cluster, unless it is asked already or was slow a while ago.
func (a *answers) begin(q question, secret string, wanted []causeway.ClusterFact) chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.of[q]
	if k == nil {
		k = &answer{lane: quick, wakes: map[types.NamespacedName]bool{}}
		a.of[q] = k
	}
	if k.asked != nil || a.believed(q, k) || a.ctx.Err() != nil {
		return nil
	}
	asked, lane := make(chan struct{}), k.lane
	k.asked = asked
	a.owned.Go(func() { a.question(k, q, lane, secret, wanted) })
	return asked
}

// believed reports whether an answer need not be asked for again. One that took long
// counts whatever the cluster tells meanwhile. The caller holds mu.
func (a *answers) believed(q question, k *answer) bool {
	return time.Now().Before(k.until) && (k.lane == slow || k.begun.After(a.told[gitops.ServerKey(q.server)]))
}

func (a *answers) question(k *answer, q question, lane, secret string, wanted []causeway.ClusterFact) {
	if _, err := a.places.Take(a.ctx, slots.Of(lane)); err != nil {
		a.end(k, nil, err, time.Now())
		return
	}
	begun := time.Now()
	var told *Told
	err := crew.Safely(func() (err error) {
		defer a.places.Give(lane)
		told, err = a.facts(a.ctx, secret, q.server, wanted)
		return err
	})
	a.end(k, told, err, begun)
}

// end keeps an answer, and wakes those who did not wait for it.
func (a *answers) end(k *answer, told *Told, err error, begun time.Time) {
	a.mu.Lock()
	k.told, k.err, k.begun = told, err, begun
	k.believe(time.Since(begun))
	close(k.asked)
	k.asked = nil
	wakes := k.wakes
	k.wakes = map[types.NamespacedName]bool{}
	a.mu.Unlock()
	for name := range wakes {
		a.ring(name)
	}
}

// believe says for how long an answer that took so long is taken for granted.
func (k *answer) believe(took time.Duration) {
	if took <= moment {
		k.failures, k.lane, k.until = 0, quick, time.Now().Add(lasting)
		return
	}
	pause := min(slowFactor*took, slowPause)
	if k.err == nil {
		k.failures = 0
	} else {
		pause = min(firstPause<<k.failures, lastPause)
		k.failures = min(k.failures+1, 8) //nolint:mnd // more than lastPause
	}
	k.lane, k.until = slow, time.Now().Add(pause)
}

// await waits a moment for questions of its own: for those of others somebody
// has waited already.
func (a *answers) await(ctx context.Context, out []chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, a.moment)
	defer cancel()
	for _, asked := range out {
		select {
		case <-asked:
		case <-ctx.Done():
			return
		}
	}
}

// take is the last answer. Who is told of none, or of an old one, is woken by
// the next.
func (a *answers) take(q question, who types.NamespacedName) reply {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.of[q]
	if k == nil || k.asked == nil && k.told == nil && k.err == nil {
		return reply{err: errUntold} // the engine ends
	}
	out := reply{told: k.told, err: k.err}
	if out.told == nil && out.err == nil {
		out.err = errUntold
	}
	if k.asked != nil {
		k.wakes[who] = true
		return out
	}
	if k.lane == slow {
		out.again = max(0, time.Until(k.until))
	}
	return out
}

// keep forgets the answers of clusters that are gone.
func (a *answers) keep(secrets []member) {
	there, servers := make(map[question]bool, len(secrets)), make(map[string]bool, len(secrets))
	for i := range secrets {
		there[secrets[i].question(false)] = true
		servers[gitops.ServerKey(secrets[i].server)] = true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for q, k := range a.of {
		if !there[question{secret: q.secret, server: q.server}] && k.asked == nil {
			delete(a.of, q)
		}
	}
	maps.DeleteFunc(a.told, func(server string, _ time.Time) bool { return !servers[server] })
}
