// Package subject runs an engine as a process of its own, so that it can be
// killed without a word and its memory is its own.
package subject

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Options describe an engine.
type Options struct {
	// Command is the program and what comes before the flags, usually
	// causeway run.
	Command []string
	// Env is added to the environment.
	Env []string
	// Hub is reached with the CA and token of this configuration.
	Hub *rest.Config
	// Dir keeps its kubeconfig, cache and log.
	Dir string
	// Args are more flags.
	Args []string
}

// Engine is a running engine. One that ends by itself is started again, as a
// Deployment would do it.
type Engine struct {
	options Options
	log     *os.File
	ended   chan struct{} // closed when nobody starts it again

	mu      sync.Mutex
	cmd     *exec.Cmd
	halted  bool
	ends    int // by itself
	killing bool
	since   int64 // where in the log the running process begins
}

// Start starts an engine and does not wait until it is ready.
func Start(o Options) (*Engine, error) {
	if err := os.MkdirAll(o.Dir, 0o750); err != nil {
		return nil, err
	}
	if err := writeKubeconfig(filepath.Join(o.Dir, "kubeconfig"), o.Hub); err != nil {
		return nil, err
	}
	e := &Engine{options: o, ended: make(chan struct{})}
	var err error
	if e.log, err = os.OpenFile(e.LogFile(), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600); err != nil {
		return nil, err
	}
	if err := e.launch(); err != nil {
		return nil, err
	}
	go e.supervise()
	return e, nil
}

// LogFile is where the engine logs.
func (e *Engine) LogFile() string { return filepath.Join(e.options.Dir, "engine.log") }

func (e *Engine) launch() error {
	o := e.options
	args := append(append([]string(nil), o.Command[1:]...),
		"--kubeconfig", filepath.Join(o.Dir, "kubeconfig"), "--cache-dir", filepath.Join(o.Dir, "cache"), "--listen", "127.0.0.1:0", "--pprof")
	cmd := exec.Command(o.Command[0], append(args, o.Args...)...) //nolint:noctx // ended by Halt
	cmd.Env = append(os.Environ(), o.Env...)
	cmd.Stdout, cmd.Stderr = e.log, e.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	before, err := e.log.Stat()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("cannot start the engine: %w", err)
	}
	e.cmd, e.since = cmd, before.Size()
	return nil
}

// listens is a line of level info: an engine that logs less cannot be asked.
var listens = regexp.MustCompile(`metrics, health and webhooks are served.*address"?[=:]"?([0-9.:]+)`)

// address is where the process that runs now listens: each has a port of its own, and logs it.
func (e *Engine) address() (string, error) {
	e.mu.Lock()
	since := e.since
	e.mu.Unlock()
	said, err := io.ReadAll(io.NewSectionReader(e.log, since, maxLog))
	if err != nil {
		return "", err
	}
	m := listens.FindSubmatch(said)
	if m == nil {
		return "", errors.New("the engine does not listen yet")
	}
	return string(m[1]), nil
}

// maxLog is how much of a log is looked at for the address, which is among the first lines of each process.
const maxLog = 1 << 20

// again is the pause before an engine that ended by itself is started again.
const again = 300 * time.Millisecond

// supervise starts the engine again each time it ends.
func (e *Engine) supervise() {
	defer close(e.ended)
	for {
		_ = e.cmd.Wait() // only this goroutine changes cmd once it runs
		e.mu.Lock()
		if e.halted {
			e.mu.Unlock()
			return
		}
		if !e.killing {
			e.ends++
			e.mu.Unlock()
			time.Sleep(again)
			e.mu.Lock()
		}
		e.killing = false
		if e.halted || e.launch() != nil {
			e.mu.Unlock()
			return
		}
		e.mu.Unlock()
	}
}

// PID of the process.
func (e *Engine) PID() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cmd.Process.Pid
}

// Ends is how often the engine has ended by itself.
func (e *Engine) Ends() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ends
}

// Kill ends it with SIGKILL; it is started again at once.
func (e *Engine) Kill() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.killing = true
	e.signal(syscall.SIGKILL)
}

// Halt ends it with SIGKILL for good.
func (e *Engine) Halt() {
	e.mu.Lock()
	first := !e.halted
	e.halted = true
	e.signal(syscall.SIGKILL)
	e.mu.Unlock()
	<-e.ended
	if first {
		_ = e.log.Close()
	}
}

// Signal sends it a signal.
func (e *Engine) Signal(s syscall.Signal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.signal(s)
}

// signal reaches the processes that the engine has started, too.
func (e *Engine) signal(s syscall.Signal) { _ = syscall.Kill(-e.cmd.Process.Pid, s) }

// Ready waits until the engine has read its hub.
func (e *Engine) Ready(ctx context.Context) error {
	for {
		if _, err := e.get(ctx, "/readyz"); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the engine is not ready (its log: %s): %w", e.LogFile(), ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Usage is what an engine holds right after a garbage collection.
type Usage struct {
	HeapBytes  int64
	Resident   int64
	Goroutines int
}

// String has whole mebibytes.
func (u Usage) String() string {
	return fmt.Sprintf("heap %d MiB, resident %d MiB, %d goroutines", u.HeapBytes>>20, u.Resident>>20, u.Goroutines)
}

var heapInUse = regexp.MustCompile(`(?m)^# HeapAlloc = (\d+)$`)

// Usage collects garbage and counts what is left.
func (e *Engine) Usage(ctx context.Context) (Usage, error) {
	heap, err := e.get(ctx, "/debug/pprof/heap?gc=1&debug=1")
	if err != nil {
		return Usage{}, err
	}
	m := heapInUse.FindStringSubmatch(heap)
	if m == nil {
		return Usage{}, errors.New("the heap profile does not tell its size")
	}
	u := Usage{}
	u.HeapBytes, _ = strconv.ParseInt(m[1], 10, 64)
	stacks, err := e.get(ctx, "/debug/pprof/goroutine?debug=1")
	if err != nil {
		return u, err
	}
	if _, err := fmt.Sscanf(stacks, "goroutine profile: total %d", &u.Goroutines); err != nil {
		return u, fmt.Errorf("cannot count goroutines: %w", err)
	}
	u.Resident, err = resident(e.PID())
	return u, err
}

// Profile returns a profile in text form: "goroutine", "heap".
func (e *Engine) Profile(ctx context.Context, name string) (string, error) {
	return e.get(ctx, "/debug/pprof/"+name+"?debug=1")
}

// Metrics returns the counters as text.
func (e *Engine) Metrics(ctx context.Context) (string, error) { return e.get(ctx, "/metrics") }

func (e *Engine) get(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	address, err := e.address()
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, resp.Status)
	}
	return string(body), err
}

func resident(pid int) (int64, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10, err
		}
	}
	return 0, errors.New("no VmRSS")
}

func writeKubeconfig(path string, cfg *rest.Config) error {
	k := clientcmdapi.NewConfig()
	k.Clusters["hub"] = &clientcmdapi.Cluster{Server: cfg.Host, CertificateAuthorityData: cfg.CAData}
	k.AuthInfos["engine"] = &clientcmdapi.AuthInfo{Token: cfg.BearerToken, ClientCertificateData: cfg.CertData, ClientKeyData: cfg.KeyData}
	k.Contexts["hub"] = &clientcmdapi.Context{Cluster: "hub", AuthInfo: "engine"}
	k.CurrentContext = "hub"
	return clientcmd.WriteToFile(*k, path)
}
