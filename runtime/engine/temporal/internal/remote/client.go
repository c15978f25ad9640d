// Package remote is the client of the engine on Temporal: it begins, shows, answers and
// cancels runs, and runs workers.
package remote

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/claim"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
)

// Client is a connection to a Temporal cluster for one workflow.
type Client struct {
	*reader
	queue string
	// values has large values, or is nil. logs is the folder with the logs of runs that all
	// workers share, or "".
	values claim.Store
	logs   string
}

// A reader reads the runs of a namespace.
type reader struct {
	temporal  client.Client
	namespace string
	def       *flow.Definition
	converter converter.DataConverter
	memory    *memory
	// attributes says that the namespace is known to have the search attributes.
	attributes *atomic.Bool
}

var _ cluster.Cluster = (*Client)(nil)

// An Opener connects to clusters.
type Opener struct{}

// Name implements engine.Extension.
func (Opener) Name() string { return "Temporal" }

// Open implements cluster.Opener.
func (Opener) Open(ctx context.Context, c cluster.Connection) (cluster.Cluster, error) {
	cipher, err := claim.Keys(c.Keys)
	if err != nil {
		return nil, err
	}
	opt := client.Options{
		HostPort: c.Address, Namespace: c.Namespace,
		Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	}
	if c.APIKey != "" {
		opt.Credentials = client.NewAPIKeyStaticCredentials(c.APIKey)
		c.TLS = true
	}
	if opt.ConnectionOptions.TLS, err = tlsOf(c); err != nil {
		return nil, err
	}
	values, folder, err := claim.Open(ctx, c.Blobs, c.Namespace)
	if err != nil {
		return nil, err
	}
	opt.DataConverter = claim.Converter(values, cipher)
	if cipher != nil { // messages of errors quote outputs
		opt.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
			DataConverter: opt.DataConverter, EncodeCommonAttributes: true,
		})
	}
	t, err := client.DialContext(ctx, opt)
	if err != nil {
		err = fmt.Errorf("connect to Temporal at %s: %w", c.Address, err)
		if values != nil {
			err = errors.Join(err, values.Close())
		}
		return nil, err
	}
	opened := &Client{
		reader: &reader{temporal: t, namespace: c.Namespace, def: c.Definition, converter: opt.DataConverter, attributes: &atomic.Bool{}},
		queue:  cmp.Or(c.Queue, c.Definition.Name), values: values,
	}
	if c.Remember {
		opened.memory = newMemory()
	}
	if folder != "" {
		opened.logs = filepath.Join(folder, "logs")
	}
	return opened, nil
}

func tlsOf(c cluster.Connection) (*tls.Config, error) {
	if !c.TLS && c.CA == "" && c.Cert == "" && c.Key == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.ServerName}
	if c.CA != "" {
		text, err := wholefile.Source.Given(c.CA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate in PEM form", c.CA)
		}
	}
	if (c.Cert == "") != (c.Key == "") {
		return nil, errors.New("a client certificate needs both its file and the file of its key")
	}
	if c.Cert != "" {
		pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// Close implements store.Store.
func (c *Client) Close() error {
	c.temporal.Close()
	if c.values == nil {
		return nil
	}
	return c.values.Close()
}

// Name names the cluster for people.
func (c *Client) Name() string { return "Temporal namespace " + c.namespace }

// deploymentVersion is the version of workers that run this build.
func (c *Client) deploymentVersion() worker.WorkerDeploymentVersion {
	return worker.WorkerDeploymentVersion{DeploymentName: c.def.Name, BuildID: c.def.Fingerprint}
}

// searchAttributeTypes are the search attributes of runs.
func searchAttributeTypes() map[string]enumspb.IndexedValueType {
	return map[string]enumspb.IndexedValueType{
		wire.AttributeStatus:  enumspb.INDEXED_VALUE_TYPE_KEYWORD,
		wire.AttributeWaiting: enumspb.INDEXED_VALUE_TYPE_KEYWORD_LIST,
		wire.AttributeCost:    enumspb.INDEXED_VALUE_TYPE_DOUBLE,
	}
}

// hasAttributes reports whether the namespace has the search attributes of runs. If it
// lacks them, runs keep the same in their memos. A cluster reads new attributes from a cache
// that is some seconds old, and a workflow that sets one too early waits ten seconds for its
// next attempt. So a query, which uses that cache, must accept them, too.
func (c *reader) hasAttributes(ctx context.Context) bool {
	r, err := c.temporal.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: c.namespace})
	if err != nil {
		return false
	}
	for name, kind := range searchAttributeTypes() {
		if r.GetCustomAttributes()[name] != kind {
			return false
		}
	}
	_, err = c.temporal.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
		Namespace: c.namespace,
		Query:     fmt.Sprintf("WorkflowId = '' AND %s = '' AND %s = '' AND %s = 0", wire.AttributeStatus, wire.AttributeWaiting, wire.AttributeCost),
	})
	return err == nil
}

// addAttributes adds the search attributes to the namespace, if that is allowed.
func (c *Client) addAttributes(ctx context.Context) {
	_, _ = c.temporal.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: c.namespace, SearchAttributes: searchAttributeTypes(),
	}) // without them runs use their memos
}

func notFound(err error) bool {
	var missing *serviceerror.NotFound
	return errors.As(err, &missing)
}
