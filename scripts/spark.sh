#!/usr/bin/env bash
# Runs the tests of package engine on a real Spark: a Connect server with two
# executors ($OPTCOMPLETE_EXECUTORS) on this machine. Installs pyspark into .tools/spark. Without Java, or
# where pyspark cannot be had, it says so and does nothing.
#
# With arguments it starts the server, runs them with OPTCOMPLETE_SPARK set to its
# address, and stops it:  scripts/spark.sh ./optcomplete engine '$OPTCOMPLETE_SPARK'
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { echo "skipped: the tests on Spark ($1)"; exit 0; }
command -v java > /dev/null || skip "Java is not installed"
command -v python3 > /dev/null || skip "Python is not installed"
tools=$PWD/.tools/spark
if [ ! -d "$tools/pyspark" ]; then
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$tools.part" pyspark==4.3.0 || { rm -rf "$tools.part"; skip "pyspark cannot be installed"; }
  rm -rf "$tools" && mv "$tools.part" "$tools"
fi

run=$(mktemp -d)
# Executors work in a folder of Spark's home: one of its own, which goes with the rest.
mkdir "$run/home" && ln -s "$tools"/pyspark/* "$run/home" && rm -f "$run/home/work"
export SPARK_HOME=$run/home SPARK_LOCAL_DIRS=$run SPARK_LOCAL_IP=127.0.0.1
# Tests are short: what the compiler of Java would gain comes too late for them.
quick=(); [ $# -gt 0 ] || quick=(--driver-java-options "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" --conf "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
(cd "$run" && exec setsid "$SPARK_HOME/bin/spark-submit" --master "local-cluster[${OPTCOMPLETE_EXECUTORS:-2},1,1024]" --class org.apache.spark.sql.connect.service.SparkConnectServer \
  --conf spark.connect.grpc.binding.address=127.0.0.1 --conf "spark.connect.grpc.binding.port=$port" --conf spark.ui.enabled=false "${quick[@]}" \
  spark-internal > "$run/log" 2>&1 < /dev/null) &
server=$!
stop() { kill "$server" 2> /dev/null || true; wait "$server" 2> /dev/null || true; rm -rf "$run"; }
trap stop EXIT
for _ in $(seq 900); do
  grep -q 'Spark Connect server started' "$run/log" 2> /dev/null && break
  kill -0 "$server" 2> /dev/null || { cat "$run/log"; echo "Spark did not start"; exit 1; }
  sleep 0.2
done
grep -q 'Spark Connect server started' "$run/log" || { tail -n 20 "$run/log"; echo "Spark did not start within three minutes"; exit 1; }

export OPTCOMPLETE_SPARK=sc://127.0.0.1:$port OPTCOMPLETE_SPARK_PROCESS=$server
if [ $# -gt 0 ]; then
  eval "$@"
else
  go test -count 1 -timeout 15m -run 'TestSpark$' ./engine
  go test -count 1 -timeout 15m -ldflags='-s -w' -run VerbsOnEngines/OnSpark ./cmd/optcomplete
fi
