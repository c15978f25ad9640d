package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/runtime/internal/cluster"
	"github.com/wfc-lang/wfc/runtime/plain"
	"github.com/wfc-lang/wfc/runtime/store"
)

// clusterFlags say where the cluster is that has the runs of a program built for one. The
// environment gives the rest: secrets are no arguments.
type clusterFlags struct {
	address, namespace, queue string
	tls                       bool
	ca, cert, key, server     string
	blobs                     string
}

// Variables of programs that are built for a cluster. Those of Temporal's own tools mean the
// same here.
const (
	addressVariable   = "TEMPORAL_ADDRESS"
	namespaceVariable = "TEMPORAL_NAMESPACE"
	apiKeyVariable    = "TEMPORAL_API_KEY"
	blobsVariable     = "WFC_TEMPORAL_BLOBS"
	keysVariable      = "WFC_TEMPORAL_KEYS"
)

// clusterHelp describes the variables that are not the defaults of flags.
const clusterHelp = "Secrets come from the environment: " + apiKeyVariable + " is an API key of the cluster, and\n" +
	keysVariable + " has the keys that encrypt values, separated by commas."

func (f *clusterFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.address, "temporal", "", "`ADDRESS` of the Temporal cluster, host:port (default: "+addressVariable+" or localhost:7233)")
	flags.StringVar(&f.namespace, "namespace", "", "Temporal `NAMESPACE` (default: "+namespaceVariable+" or default)")
	flags.StringVar(&f.queue, "task-queue", "", "task queue `NAME` of the runs (default: the workflow's name)")
	flags.BoolVar(&f.tls, "tls", false, "encrypt the connection (default with "+apiKeyVariable+")")
	flags.StringVar(&f.ca, "tls-ca", "", "`FILE` with the certificates of trusted authorities")
	flags.StringVar(&f.cert, "tls-cert", "", "`FILE` with the client certificate")
	flags.StringVar(&f.key, "tls-key", "", "`FILE` with the key of the client certificate")
	flags.StringVar(&f.server, "tls-server-name", "", "`NAME` that the server's certificate must have")
	flags.StringVar(&f.blobs, "blobs", "", "shared `PLACE` of values over 16 KiB: a folder, or a postgres:// URL (default: "+blobsVariable+")")
}

// connect opens the cluster.
func (a *app) connect(ctx context.Context) (store.Store, error) {
	f := a.cluster
	c, err := a.program.Cluster(ctx, cluster.Connection{
		Definition: a.program.Definition,
		Address:    cmp.Or(f.address, os.Getenv(addressVariable), "localhost:7233"),
		Namespace:  cmp.Or(f.namespace, os.Getenv(namespaceVariable), "default"),
		Queue:      f.queue, TLS: f.tls, CA: f.ca, Cert: f.cert, Key: f.key, ServerName: f.server,
		APIKey: os.Getenv(apiKeyVariable), Keys: os.Getenv(keysVariable), Blobs: cmp.Or(f.blobs, os.Getenv(blobsVariable)),
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// clusterHint returns the flags of this call by which another call finds the same runs. A URL
// with a password is not among them.
func (a *app) clusterHint() string {
	hint := ""
	if a.cluster.tls {
		hint = " --tls"
	}
	for _, flag := range []struct{ name, value string }{
		{"temporal", a.cluster.address}, {"namespace", a.cluster.namespace}, {"task-queue", a.cluster.queue}, {"blobs", a.cluster.blobs},
		{"tls-ca", a.cluster.ca}, {"tls-cert", a.cluster.cert}, {"tls-key", a.cluster.key}, {"tls-server-name", a.cluster.server},
	} {
		if flag.value == "" || strings.Contains(flag.value, "://") && shownURL(flag.value) != flag.value {
			continue
		}
		hint += fmt.Sprintf(" --%s %s", flag.name, plain.ShellWord(flag.value))
	}
	return hint
}

// cluster returns the cluster of a session of a program that is built for one.
func (s *session) cluster() cluster.Cluster { return s.store.(cluster.Cluster) }
