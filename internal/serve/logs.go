package serve

import (
	"context"
	"fmt"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/stream"
)

// Bounds of logs that are being read, by either API: each takes a connection to
// its cluster, and up to 4 MiB of what has arrived before it is read.
const (
	mostLogs        = 100
	logsEach        = 20
	logsEachCluster = 60
)

func newLogs() *stream.Slots { return stream.NewSlots(mostLogs, logsEach, logsEachCluster) }

// place takes a place for a log of a cluster, and for who reads it.
func (l looker) place(ctx context.Context, of *fleet.Cluster) (free func(), err error) {
	if l.logs == nil {
		return func() {}, nil
	}
	free, ok := l.logs.Take(auth.Asker(ctx), of.Desc().Server)
	if !ok {
		return nil, manyLogs{cluster: of.Desc().Name}
	}
	return free, nil
}

// manyLogs asks to come back when some have ended.
type manyLogs struct{ cluster string }

// Error says what the bounds are, and what to do.
func (e manyLogs) Error() string {
	return fmt.Sprintf("%d logs are being read already, %d of cluster %s, or %d by you; close some, or try again later", mostLogs, logsEachCluster, e.cluster, logsEach)
}

// Is makes it session.ErrBusy.
func (manyLogs) Is(target error) bool { return target == session.ErrBusy }
