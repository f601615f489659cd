"""Drafts of recurrent layers, which drop numbers between their layers in training."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

PROGRAM = """
    import torch
    from torch import nn


    class Reader(nn.Module):
        def __init__(self, n):
            super().__init__()
            {layer}
            self.head = nn.Linear(2 * n, 1)

        def forward(self, x):
            y, state = self.layer(x)
            return self.head(y[:, -1]).squeeze(-1)


    torch.manual_seed(0)
    net = Reader(6)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = torch.randn(4, 5, 3), torch.randn(4)
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
    print(loss.item())
"""


@pytest.mark.parametrize(
    "layer",
    [
        "self.layer = nn.LSTM(3, n, 2, batch_first=True, dropout=0.5, bidirectional=True)",
        "self.layer = getattr(nn, 'GRU')(3, n, 2, True, True, 0.5, True)",
        "self.layer = nn.RNN(3, n, 2, 'relu', batch_first=True, dropout=0.5, bidirectional=True)",
    ],
    ids=["LSTM", "GRU", "RNN"],
)
def test_what_is_dropped_between_layers(drafted, layer) -> None:
    source, parity = drafted(PROGRAM.format(layer=layer))
    assert "TODO:" not in source
    assert parity["Reader"] == "at parity: values and gradients, in float32 and float64"
    assert parity["train_step"].startswith("at parity: losses, weights and buffers after 3 steps")


def test_a_layer_that_is_chosen_by_its_name(drafted) -> None:
    source, parity = drafted("""
        import torch
        from torch import nn


        class Net(nn.Module):
            def __init__(self, kind, activation):
                super().__init__()
                self.layer = getattr(nn, kind)(3, 4, batch_first=True)
                self.activation = getattr(nn, activation)()

            def forward(self, x):
                return self.activation(self.layer(x)[0])


        torch.manual_seed(0)
        print(Net("GRU", "ReLU")(torch.randn(2, 5, 3)).shape)
    """)
    assert '{"GRU": GRU}[kind](3, 4, batch_first=True, rngs=rngs)' in source
    assert '{"ReLU": jax.nn.relu}[activation]' in source
    assert parity["Net"] == "at parity: values and gradients, in float32 and float64"
