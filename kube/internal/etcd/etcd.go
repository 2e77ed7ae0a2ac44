// Package etcd runs the one etcd member that a cluster keeps its objects in. It listens on a Unix socket inside a
// folder of this user alone, so no other user of the machine reaches it.
package etcd

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// quota is the database size, in bytes, at which etcd refuses writes.
const quota = 4 << 30

// slowRequest is how long a request may take before etcd logs it; left at zero it logs them all.
const slowRequest = time.Second

// Config says where a member lives.
type Config struct {
	DataDir   string
	SocketDir string // its path has to be short: a socket's name holds about 100 bytes
	// Durable syncs every write to disk. Without it a crash of the machine may lose the data, which is right only for
	// a cluster that is thrown away.
	Durable bool
	Log     *zap.Logger
}

// Server is a running member.
type Server struct {
	etcd     *embed.Etcd
	endpoint string
}

// Start returns once the member takes requests.
func Start(ctx context.Context, c Config) (*Server, error) {
	client := url.URL{Scheme: "unix", Path: filepath.Join(c.SocketDir, "etcd.sock")}
	peer := url.URL{Scheme: "unix", Path: filepath.Join(c.SocketDir, "peer.sock")}
	running, err := embed.StartEtcd(settings(c, client, peer))
	if err != nil {
		return nil, fmt.Errorf("cannot start etcd in %s: %w", c.DataDir, err)
	}
	s := &Server{etcd: running, endpoint: client.String()}
	select {
	case <-running.Server.ReadyNotify():
		return s, nil
	case err := <-running.Err():
		s.Stop()
		return nil, fmt.Errorf("cannot start etcd in %s: %w", c.DataDir, err)
	case <-ctx.Done():
		s.Stop()
		return nil, fmt.Errorf("cannot start etcd in %s: %w", c.DataDir, ctx.Err())
	}
}

func settings(c Config, client, peer url.URL) *embed.Config {
	s := embed.NewConfig()
	s.Name = "causeway"
	s.Dir = c.DataDir
	s.ListenClientUrls, s.ListenPeerUrls = []url.URL{client}, []url.URL{peer}
	// A name that other members would dial. There are none, and it has to be the same at every start.
	nowhere := url.URL{Scheme: "http", Host: "localhost:2380"}
	s.AdvertiseClientUrls, s.AdvertisePeerUrls = []url.URL{nowhere}, []url.URL{nowhere}
	s.InitialCluster = s.InitialClusterFromName(s.Name)
	s.ZapLoggerBuilder = embed.NewZapLoggerBuilder(c.Log)
	s.UnsafeNoFsync = !c.Durable
	s.QuotaBackendBytes = quota
	s.EnableGRPCGateway = false
	s.WarningUnaryRequestDuration = slowRequest
	// The API server compacts; a member alone has nobody to wait for in an election. Ticks that are shorter begin no sooner,
	// and cost a cluster that has nothing to do a percent of a core.
	s.TickMs, s.ElectionMs = 40, 200
	return s
}

// Endpoint is the address for --etcd-servers.
func (s *Server) Endpoint() string { return s.endpoint }

// Wait returns when the member fails, or when ctx ends.
func (s *Server) Wait(ctx context.Context) error {
	select {
	case err := <-s.etcd.Err():
		return fmt.Errorf("etcd stopped: %w", err)
	case <-s.etcd.Server.StopNotify():
		return errors.New("etcd stopped by itself; its log tells why")
	case <-ctx.Done():
		return nil
	}
}

// Stop ends the member and waits until its files are closed.
func (s *Server) Stop() { s.etcd.Close() }
