"""A CCA that ends its process, with nothing to be said of it, once a flow is two seconds old."""

import os


class Leaves:
    def on_ack(self, ack, path, window):
        if ack.now_s > 2.0:
            os._exit(0)

    def on_congestion(self, event, path, window):
        window.ssthresh = max(event.in_flight / 2, 2.0)
