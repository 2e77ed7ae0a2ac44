package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/memory"
)

// configuration is the only one that git reads: what the user or the
// machine has set must not change what the engine sees. Each thread that reads a pack
// has a cache of its own, of 96 MiB.
const configuration = `[core]
	hooksPath = /dev/null
	bigFileThreshold = 16m
	fsmonitor = false
[protocol]
	allow = never
[protocol "file"]
	allow = always
[protocol "http"]
	allow = always
[protocol "https"]
	allow = always
[protocol "ssh"]
	allow = always
[protocol "git"]
	allow = always
[pack]
	threads = 4
[gc]
	auto = 0
[maintenance]
	auto = false
[fetch]
	recurseSubmodules = false
[http]
	lowSpeedLimit = 100
	lowSpeedTime = 60
[advice]
	detachedHead = false
`

// inherited are the variables of the engine's own environment that git may
// see: how to find programs, agents and proxies.
var inherited = []string{
	"PATH", "TMPDIR", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
}

// Command runs the git executable in an environment of its own.
type Command struct {
	home    string
	timeout time.Duration
	env     []string
	// blank is an empty repository for what needs none: git looks for one
	// in the folders above otherwise, and would do as that one says.
	blank string
	// dial connects where only public hosts may be spoken to.
	dial egress.Dialer
	// idle is shared with copies.
	idle *idle
	// fetchMemory is what each process of a fetch may hold, in bytes.
	fetchMemory int
}

// fetchMemory is a quarter of the memory that there is, or what the largest
// repositories take. A server may send a commit, a folder or a change that becomes
// any size, and git holds each as a whole.
func fetchMemory(there int64) int {
	return int(min(max(there/4, 1<<30), math.MaxInt)) //nolint:mnd // a quarter
}

// NewCommand prepares a folder for git's configuration and for temporary
// files, which is this process's alone. The timeout bounds each single call.
func NewCommand(home string, timeout time.Duration) (*Command, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("cannot find the git executable; install git and put it on the PATH")
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the cache folder: %w", err)
	}
	removeIncoming(home)
	removeListings(home)
	config := filepath.Join(home, "gitconfig")
	if err := keepFile(config, []byte(configuration)); err != nil {
		return nil, fmt.Errorf("cannot write into the cache folder: %w", err)
	}
	c := &Command{home: home, timeout: timeout, blank: filepath.Join(home, "blank.git"), dial: egress.Dial, idle: &idle{}, fetchMemory: fetchMemory(memory.There())}
	if err := makeBare(c.blank, bareConfig(sha1Format)); err != nil {
		return nil, fmt.Errorf("cannot write into the cache folder: %w", err)
	}
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			c.env = append(c.env, name+"="+v)
		}
	}
	c.env = append(c.env, "HOME="+home, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+config,
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_ATTR_NOSYSTEM=1", "GIT_PROTOCOL_FROM_USER=0", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1") // what is deployed is not replaced
	return c, nil
}

// failure is what git said when it failed, still unredacted.
type failure struct {
	err     error
	text    string
	timeout time.Duration
}

func (f *failure) Error() string {
	if f.timeout > 0 {
		return fmt.Sprintf("no answer within %s", f.timeout)
	}
	if f.text != "" {
		return f.text
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// Output limits: names of what a store has are read as a whole, see listing for
// what servers have; messages are for people.
const (
	outputLimit  = 128 << 20
	messageLimit = 8 << 10
)

// run runs git in a bare repository of the engine's own, an empty one where
// dir is empty, and returns its output.
func (c *Command) run(ctx context.Context, dir string, s session, stdin io.Reader, args ...string) ([]byte, error) {
	out := &bounded{limit: outputLimit}
	if err := c.runInto(ctx, dir, s, stdin, out, args...); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// runInto is run for output that goes elsewhere as it comes.
func (c *Command) runInto(ctx context.Context, dir string, s session, stdin io.Reader, out io.Writer, args ...string) error {
	timeout := c.timeout
	if s.within > 0 {
		timeout = min(timeout, s.within)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := c.prepare(ctx, dir, s, args...)
	message := &bounded{limit: messageLimit, cut: true}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, out, message
	err := cmd.Run()
	if err == nil {
		return nil
	}
	f := &failure{err: err, text: strings.TrimSpace(message.whole())}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		f.timeout = timeout
	}
	if ctx.Err() != nil {
		f.err = ctx.Err()
	}
	return f
}

func (c *Command) prepare(ctx context.Context, dir string, s session, args ...string) *exec.Cmd {
	if dir == "" {
		dir = c.blank
	}
	all := append(append([]string{"--git-dir=" + dir}, s.args...), args...)
	cmd := exec.CommandContext(ctx, "git", all...)
	if s.memory > 0 {
		cmd = exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -d "$0" 2>/dev/null; exec git "$@"`, strconv.Itoa(s.memory >> 10)}, all...)...)
	}
	cmd.Dir = c.home
	cmd.Env = append(append([]string{}, c.env...), s.env...)
	return together(cmd)
}

// together has the helpers that git starts end with it.
func together(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// bounded keeps the first limit bytes; more is an error, or is dropped when cut.
// The buffer is not embedded: its ReadFrom would fill it without limit, as a command's
// output is copied by that where there is one.
type bounded struct {
	kept  bytes.Buffer
	limit int
	cut   bool
}

func (b *bounded) Bytes() []byte  { return b.kept.Bytes() }
func (b *bounded) String() string { return b.kept.String() }
func (b *bounded) Len() int       { return b.kept.Len() }
func (b *bounded) Reset()         { b.kept.Reset() }

// whole is what was kept, without a last line that was cut: half a secret in it
// would not be known for one.
func (b *bounded) whole() string {
	text := b.String()
	if b.Len() == b.limit {
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	return text
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - b.Len()
	if len(p) <= room {
		return b.kept.Write(p)
	}
	if !b.cut {
		return 0, fmt.Errorf("more than %d bytes of output", b.limit)
	}
	b.kept.Write(p[:max(room, 0)])
	return len(p), nil
}
