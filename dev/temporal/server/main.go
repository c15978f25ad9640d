// Command server is a Temporal server for tests: all services in one process, on loopback,
// with SQLite in a file, so that it can be killed and started again.
//
//	server -db FILE -port PORT
//
// It prints `ready` when clients can connect.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	serverlog "go.temporal.io/server/common/log"
	sqlite "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	schema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

const loopback = "127.0.0.1"

func main() {
	db := flag.String("db", "", "`FILE` of the database")
	port := flag.Int("port", 0, "`PORT` for clients")
	flag.Parse()
	if err := serve(*db, *port); err != nil {
		log.Fatal(err)
	}
}

func serve(db string, port int) error {
	_, missing := os.Stat(db)
	store := &config.SQL{PluginName: sqlite.PluginName, DatabaseName: db, ConnectAttributes: map[string]string{
		// A killed process loses nothing that was committed; only the machine's end could.
		"mode": "rwc", "journal_mode": "wal", "synchronous": "normal",
	}}
	if missing != nil {
		if err := schema.SetupSchema(store); err != nil {
			return err
		}
	}
	namespace, err := schema.NewNamespaceConfig("active", "default", false, nil)
	if err != nil {
		return err
	}
	if err := schema.CreateNamespaces(store, namespace); err != nil {
		return err
	}
	c, err := configure(store, port)
	if err != nil {
		return err
	}
	server, err := temporal.NewServer(
		temporal.WithConfig(c), temporal.ForServices(temporal.DefaultServices), temporal.WithLogger(serverlog.NewNoopLogger()),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{
			dynamicconfig.FrontendPersistenceNamespaceMaxQPS.Key(): 100_000,
			dynamicconfig.FrontendMaxNamespaceRPSPerInstance.Key(): 100_000,
			// By default, a history shard looks for new tasks 20 times a second. This server has one
			// shard for all runs, and each step of a chain needs two looks.
			dynamicconfig.TransferProcessorMaxPollRPS.Key():   10_000,
			dynamicconfig.TimerProcessorMaxPollRPS.Key():      10_000,
			dynamicconfig.VisibilityProcessorMaxPollRPS.Key(): 10_000,
			// A new search attribute counts at once, not after the next refresh of a cache.
			dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key(): true,
			// One process serves all queues; partitions would only cost time.
			dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
			dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,
		}),
	)
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	fmt.Println("ready")
	end := make(chan os.Signal, 1)
	signal.Notify(end, os.Interrupt, syscall.SIGTERM)
	<-end
	return server.Stop()
}

// configure returns the configuration of a server whose other ports are free ones.
func configure(store *config.SQL, port int) (*config.Config, error) {
	address := fmt.Sprintf("%s:%d", loopback, port)
	c := &config.Config{
		Persistence: config.Persistence{
			DefaultStore: "db", VisibilityStore: "db", NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{"db": {SQL: store}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: "active", CurrentClusterName: "active",
			ClusterInformation: map[string]cluster.ClusterInformation{"active": {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address}},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Archival:            config.Archival{History: config.HistoryArchival{State: "disabled"}, Visibility: config.VisibilityArchival{State: "disabled"}},
		PublicClient:        config.PublicClient{HostPort: address},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History: config.HistoryArchivalNamespaceDefaults{State: "disabled"}, Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
		}},
		Services: map[string]config.Service{},
	}
	c.Global.Membership = config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: loopback}
	for _, name := range []string{"frontend", "history", "matching", "worker"} {
		rpc := config.RPC{BindOnLocalHost: true, GRPCPort: port}
		var err error
		if name != "frontend" {
			if rpc.GRPCPort, err = freePort(); err != nil {
				return nil, err
			}
		}
		if rpc.MembershipPort, err = freePort(); err != nil {
			return nil, err
		}
		c.Services[name] = config.Service{RPC: rpc}
	}
	return c, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", loopback+":0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
