package kms

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	api "k8s.io/kms/apis/v2"
)

// What API servers can ask.
const (
	AskedStatus  = "status"
	AskedEncrypt = "encrypt"
	AskedDecrypt = "decrypt"
)

const (
	// patience is how long a key may take. API servers wait for three seconds if their configuration says nothing else.
	patience = 10 * time.Second
	// grace is how long calls may go on when the server is to end.
	grace = 3 * time.Second

	mostMessage = 64 << 10 // bytes of a request
	mostCalls   = 64       // at a time, of a connection
)

// Options of a server. The zero value works.
type Options struct {
	// Log gets a line when the health or the id of the key changes. Nil: none.
	Log *slog.Logger
	// Observe is told of each call: what was asked, how long it took, and the error.
	Observe func(asked string, took time.Duration, err error)
	// Now is the clock. Nil: that of the machine.
	Now func() time.Time
}

// Server answers API servers.
type Server struct {
	api.UnimplementedKeyManagementServiceServer

	key     Key
	options Options
	health  health
}

// New serves a key.
func New(key Key, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(string, time.Duration, error) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Server{key: key, options: o}
}

// Serve answers until ctx ends, or the listener fails. It closes the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := grpc.NewServer(grpc.MaxRecvMsgSize(mostMessage), grpc.MaxConcurrentStreams(mostCalls), grpc.ConnectionTimeout(patience))
	api.RegisterKeyManagementServiceServer(server, s)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }() // it ends with the server, and is waited for below
	select {
	case err := <-ended:
		return fmt.Errorf("cannot serve on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	hard := time.AfterFunc(grace, server.Stop)
	defer hard.Stop()
	server.GracefulStop()
	return <-ended
}

// Encrypt implements the API.
func (s *Server) Encrypt(ctx context.Context, r *api.EncryptRequest) (out *api.EncryptResponse, err error) {
	defer s.observe(AskedEncrypt, &err)()
	if n := len(r.GetPlaintext()); n == 0 || n > mostPlain {
		return nil, status.Errorf(codes.InvalidArgument, "cannot encrypt %d bytes: API servers send seeds of 32 bytes, and %d is the most", n, mostPlain)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, id, err := s.encrypt(ctx, r.GetPlaintext())
	if err != nil {
		return nil, told(ctx, err)
	}
	s.health.used(id)
	return &api.EncryptResponse{Ciphertext: text, KeyId: id}, nil
}

// encrypt refuses what no API server would take back.
func (s *Server) encrypt(ctx context.Context, plain []byte) (text []byte, id string, err error) {
	text, id, err = s.key.Encrypt(ctx, plain)
	switch {
	case err != nil:
		return nil, "", err
	case len(text) == 0 || len(text) > mostText:
		return nil, "", fmt.Errorf("cannot use this key: it makes %d bytes of %d, and API servers take 1 to %d", len(text), len(plain), mostText)
	case id == "" || len(id) > mostID:
		return nil, "", fmt.Errorf("cannot use this key: its id has %d bytes, and API servers take 1 to %d", len(id), mostID)
	}
	return text, id, nil
}

// Decrypt implements the API.
func (s *Server) Decrypt(ctx context.Context, r *api.DecryptRequest) (out *api.DecryptResponse, err error) {
	defer s.observe(AskedDecrypt, &err)()
	switch n := len(r.GetCiphertext()); {
	case n == 0 || n > mostText:
		return nil, status.Errorf(codes.InvalidArgument, "cannot decrypt %d bytes: what was encrypted here has 1 to %d", n, mostText)
	case r.GetKeyId() == "" || len(r.GetKeyId()) > mostID:
		return nil, status.Errorf(codes.InvalidArgument, "cannot decrypt by a key whose id has %d bytes: it has 1 to %d", len(r.GetKeyId()), mostID)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	plain, err := s.key.Decrypt(ctx, r.GetCiphertext(), r.GetKeyId())
	if err != nil {
		return nil, told(ctx, err)
	}
	return &api.DecryptResponse{Plaintext: plain}, nil
}

// told is an error for who asks over the socket.
func told(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, "whoever asked did not wait for the answer")
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return status.Errorf(codes.DeadlineExceeded, "the key did not answer in time: %v", err)
	default:
		return status.Error(codes.Internal, err.Error())
	}
}

func (s *Server) observe(asked string, err *error) func() {
	began := s.options.Now()
	return func() { s.options.Observe(asked, s.options.Now().Sub(began), *err) }
}
