package local

import (
	"errors"
	"fmt"
	"time"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
)

// How a spoke that ended by itself is started again.
const (
	revivals    = 5
	firstPause  = time.Second // doubled after each try
	steadyAfter = time.Minute // what ran for that long has all its tries again
)

// guard owns a running cluster: it stops it at the end of life, and starts a
// spoke again that ends before.
func (r *Running) guard(c Cluster, cluster *embedded.Cluster) {
	tries, pause := revivals, firstPause
	for {
		since := time.Now()
		select {
		case <-r.life.Done():
			r.keep(cluster.Stop())
			return
		case <-cluster.Done():
		}
		err := fmt.Errorf("cluster %s ended by itself: %w", c.Name, endOf(cluster))
		_ = cluster.Stop() // lets go of what is left of it; why it ended is told
		if c.Hub {
			r.died <- err
			return
		}
		r.watch.Failed(c.Name, err)
		if time.Since(since) > steadyAfter {
			tries, pause = revivals, firstPause
		}
		if cluster, tries, pause = r.revive(c, tries, pause); cluster == nil {
			return
		}
	}
}

func endOf(cluster *embedded.Cluster) error {
	if err := cluster.Err(); err != nil {
		return errors.New(sentence(err))
	}
	return errors.New("it stopped")
}

func (r *Running) keep(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = append(r.stopped, err)
}

// revive starts a spoke again from its data, with longer and longer pauses.
// It returns what is left of the tries, and no cluster once none is left or
// life ends.
func (r *Running) revive(c Cluster, tries int, pause time.Duration) (*embedded.Cluster, int, time.Duration) {
	for ; tries > 0; pause *= 2 {
		select {
		case <-r.life.Done():
			return nil, 0, 0
		case <-time.After(pause):
		}
		tries--
		cluster, err := r.launch(r.life, c)
		if r.life.Err() != nil {
			if cluster != nil {
				r.keep(cluster.Stop())
			}
			return nil, 0, 0
		}
		if err != nil {
			r.watch.Failed(c.Name, err)
			continue
		}
		// Its port may have been taken meanwhile, so its address may be another.
		if err := errors.Join(r.writeKubeconfig(), r.Register(r.life)); err != nil {
			r.watch.Failed(c.Name, err)
		}
		return cluster, tries, pause * 2
	}
	r.watch.Failed(c.Name, fmt.Errorf("cluster %s stays down after %d tries to start it again; its log: %s; to try once more: causeway down, then causeway up",
		c.Name, revivals, r.Home.clusterLog(c.Name)))
	return nil, 0, 0
}
